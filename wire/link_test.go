package wire

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// patience bounds every wait in tests; it is never waited out when they pass.
const patience = 20 * time.Second

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func TestPipe(t *testing.T) {
	a, b := Pipe()
	frame := []byte("one")
	for _, text := range []string{"one", "two"} {
		copy(frame, text)
		if err := a.Send(testContext(t), frame); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	for _, want := range []string{"one", "two"} { // what was sent before the end still arrives, unshared
		if got, err := b.Recv(testContext(t)); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if _, err := b.Recv(testContext(t)); !errors.Is(err, io.EOF) {
		t.Errorf("Recv from a closed peer: got %v", err)
	}
	if err := b.Send(testContext(t), frame); !errors.Is(err, io.EOF) {
		t.Errorf("Send to a closed peer: got %v", err)
	}
	if _, err := a.Recv(testContext(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("Recv after Close: got %v", err)
	}
	if err := a.Send(testContext(t), frame); !errors.Is(err, ErrClosed) {
		t.Errorf("Send after Close: got %v", err)
	}
}

func TestPipeHonoursContext(t *testing.T) {
	a, _ := Pipe()
	for range pipeDepth {
		if err := a.Send(testContext(t), nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.Send(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Send to a slow peer: got %v", err)
	}
	if _, err := a.Recv(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Recv: got %v", err)
	}
}

func TestPipeScansEnvelopes(t *testing.T) {
	a, b := Pipe()
	for _, frame := range []string{frameA, "[" + frameA + "]", "hello"} {
		if err := a.Send(testContext(t), []byte(frame)); err != nil {
			t.Fatal(err)
		}
		e, err := b.(EnvelopeLink).RecvEnvelope(testContext(t))
		if err != nil || string(e.Raw) != frame || e.IsResponse() != (frame == frameA) {
			t.Errorf("%s: got %+v, %v", frame, e, err)
		}
	}
	a.Close()
	if _, err := b.(EnvelopeLink).RecvEnvelope(testContext(t)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}
