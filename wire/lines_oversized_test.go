package wire

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// losses reads everything and returns what came and what was lost, in order.
func losses(t *testing.T, r io.Reader, max int) []string {
	t.Helper()
	l := newLineReader(r, &oversizedLog{limit: max}, &noiseLog{})
	var got []string
	for {
		r, err := l.next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		var lost *ReplyLostError
		switch {
		case r.err == nil:
			got = append(got, string(r.env.Raw))
		case errors.As(r.err, &lost) && errors.As(r.err, new(*FrameTooLargeError)) && len(lost.Frame) <= lostHead:
			got = append(got, fmt.Sprintf("lost %s", lost.ID))
		default:
			t.Fatal(r.err)
		}
	}
}

func TestLinesSkipOversizedOnes(t *testing.T) {
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
