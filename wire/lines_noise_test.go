package wire

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// losses reads everything and returns what came and what was lost, in order.
func losses(t *testing.T, r io.Reader, max int) []string {
	t.Helper()
	noise := &noiseLog{}
	l := newLineReader(r, &oversizeLog{limit: max}, noise)
	var got []string
	for {
		e, err := l.next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		var lost *ReplyLostError
		switch e, err := noise.handOver(e); {
		case err == nil:
			got = append(got, string(e.Raw))
		case errors.As(err, &lost) && errors.As(err, new(*FrameTooLargeError)) && len(lost.Frame) <= lostHead:
			got = append(got, fmt.Sprintf("lost %s", lost.ID))
		default:
			t.Fatal(err)
		}
	}
}

func TestLinesSkipLargeOnes(t *testing.T) {
	large := strings.Repeat("x", 40<<10)
	for _, tt := range []struct {
		name, line string
		want       []string
	}{
		{"id first", `{"jsonrpc":"2.0","id":7,"result":"` + large + `"}`, []string{"lost 7"}},
		{"id as text", `{"id":"a","result":"` + large + `"}`, []string{`lost "a"`}},
		{"id last", `{"result":"` + large + `","jsonrpc":"2.0","id":7}`, []string{"lost 7"}},
		{"id last, spaced", `{"result":"` + large + `", "id" : 12 } ` + "\r", []string{"lost 12"}},
		{"id in a string", `{"result":"` + large + `\"id\":7}"}`, []string{"lost "}},
		{"id deeper", `{"result":{"x":"` + large + `","id":7}}`, []string{"lost "}},
		{"no id", `{"error":"` + large + `"}`, []string{"lost "}},
		{"batch", `[{"id":7,"result":"` + large + `"}]`, []string{"lost "}},
		{"notification", `{"method":"notifications/x","params":"` + large + `"}`, nil},
		{"text", large, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := frameA + "\n" + tt.line + "\n" + frameB + "\n"
			want := append(append([]string{frameA}, tt.want...), frameB)
			for _, r := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
				if diff := cmp.Diff(want, losses(t, r, 10<<10)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
			if diff := cmp.Diff(append([]string{frameA}, tt.want...), losses(t, strings.NewReader(frameA+"\n"+tt.line), 10<<10)); diff != "" {
				t.Errorf("at the end of input (-want +got)\n%s", diff)
			}
		})
	}
}

// Wherever a line ends in the buffer, it comes out whole and stays as it was when the buffer is used again.
func TestLinesAroundTheBuffer(t *testing.T) {
	var in strings.Builder
	var want []string
	for round := range 3 {
		for _, size := range []int{lineBuffer - 1, 64, largeLine, lineBuffer, largeLine - 1, 2 * lineBuffer, lineBuffer + 1, 64, 200_000, largeLine + 1} {
			frame := fmt.Sprintf(`{"id":%d,"result":"`, len(want))
			frame += strings.Repeat(string(rune('a'+len(want)%26)), size+round-len(frame)) + `"}`
			want = append(want, frame)
			in.WriteString(frame + "\r\n"[round%2:])
		}
	}
	for _, r := range []io.Reader{strings.NewReader(in.String()), iotest.HalfReader(strings.NewReader(in.String()))} {
		frames, noise, err := readLines(r, 1<<20)
		if diff := cmp.Diff(want, frames); diff != "" || noise.count != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%d lines of noise, %v (-want +got)\n%.2000s", noise.count, err, diff)
		}
	}
}

// A large line is handed over in the buffer it was read into, and does not leave that buffer behind.
func TestLinesLargeAreNotCopied(t *testing.T) {
	const size = 8 << 20
	in := `{"id":1,"result":"` + strings.Repeat("x", size) + "\"}\n" + frameA + "\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	frames, _, err := readLines(strings.NewReader(in), 2*size)
	runtime.ReadMemStats(&after)
	if len(frames) != 2 || !errors.Is(err, io.EOF) {
		t.Fatalf("got %d frames, %v", len(frames), err)
	}
	// The doubling buffers come to four times the size at most, readLines copies the frame once more.
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 6*size {
		t.Errorf("allocated %d bytes for a line of %d", spent, size)
	}
}
