package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
)

// logbook collects lines from handlers.
type logbook struct {
	mu    sync.Mutex
	lines []string
}

func (l *logbook) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *logbook) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// arrives waits for c, within reason.
func arrives[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case got := <-c:
		return got
	case <-testContext(t).Done():
		t.Fatal("it does not come")
		panic("unreachable")
	}
}

func respond(w http.ResponseWriter, e Envelope, body string) {
	answerJSON(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, e.Bytes(e.ID), body))
}

// lineLink is a link over lines in memory, as that to a process.
type lineLink struct {
	lines *lineReader
	out   *io.PipeWriter // nil when the peer has said everything
	stop  func()         // then ends its silence
	say   func(Envelope) string
}

// linesLink returns a link whose peer answers each message with what say makes of it, as lines.
func linesLink(t testing.TB, say func(Envelope) string) *lineLink {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return &lineLink{lines: newLineReader(r, &oversizedLog{limit: DefaultMaxFrame}, &noiseLog{}), out: w, say: say}
}

func (l *lineLink) Oversized() []FrameTooLargeError { return l.lines.oversized.all() }

func (l *lineLink) Send(_ context.Context, frame []byte) error {
	if l.say == nil {
		return nil
	}
	e, err := Scan(frame)
	if err != nil {
		return err
	}
	line := l.say(e) + "\n"
	go io.WriteString(l.out, line) // the reader may not be there yet
	return nil
}

func (l *lineLink) Recv(ctx context.Context) ([]byte, error) {
	e, err := l.RecvEnvelope(ctx)
	return e.Raw, err
}

func (l *lineLink) RecvEnvelope(context.Context) (Envelope, error) {
	r, err := l.lines.next()
	if err != nil {
		return Envelope{}, err
	}
	return r.env, r.err
}

func (l *lineLink) Close() error {
	if l.out == nil {
		l.stop()
		return nil
	}
	return l.out.Close()
}
