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

func readLines(r io.Reader, max int) (frames []string, noise *noiseLog, err error) {
	noise = &noiseLog{}
	l := newLineReader(r, &oversizedLog{limit: max}, noise)
	for {
		r, err := l.next()
		switch {
		case err != nil:
			return frames, noise, err
		case r.err != nil:
			frames = append(frames, r.err.Error())
		default:
			frames = append(frames, string(r.env.Raw))
		}
	}
}

const (
	cutReply = `{"jsonrpc":"2.0","id":1,"result":{"tools":[`

	frameA = `{"jsonrpc":"2.0","id":1,"result":{}}`
	frameB = `{"jsonrpc":"2.0","method":"notifications/x"}`
)

func TestLines(t *testing.T) {
	const indented = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"a\": 1\n  }\n}"
	for _, tt := range []struct {
		name, in      string
		frames, noise []string
		bom           bool
	}{
		{"plain", frameA + "\n" + frameB + "\n", []string{frameA, frameB}, nil, false},
		{"CRLF and blank lines", "\r\n\n" + frameA + "\r\n  \n\t\r\n" + frameB + "\r\n", []string{frameA, frameB}, nil, false},
		{"no newline at the end", frameA, []string{frameA}, nil, false},
		{"BOM", "\xef\xbb\xbf" + frameA + "\n", []string{frameA}, nil, true},
		{"banner", "Server v1 starting\n[INFO] ready\n" + frameA + "\n", []string{frameA},
			[]string{"Server v1 starting", "[INFO] ready"}, false},
		{"JSON log lines", `{"level":"info","msg":"x"}` + "\n" + `{"level":"error","error":"x","method":"GET"}` + "\n" + frameA + "\n",
			[]string{frameA}, []string{`{"level":"info","msg":"x"}`, `{"level":"error","error":"x","method":"GET"}`}, false},
		{"reply without version", `{"id":1,"result":{}}` + "\n", []string{`{"id":1,"result":{}}`}, nil, false},
		{"indented", indented + "\n" + frameA + "\n", []string{indented, frameA}, nil, false},
		{"indented log", "{\n  \"level\": \"info\"\n}\n" + frameA + "\n", []string{frameA},
			[]string{"{", `  "level": "info"`, "}"}, false},
		{"brace that leads nowhere", "{\nhello\n" + frameA + "\n", []string{frameA}, []string{"{", "hello"}, false},
		{"cut at the end", frameA + "\n" + `{"jsonrpc":"2.0","id":2,"res`, []string{frameA},
			[]string{`{"jsonrpc":"2.0","id":2,"res`}, false},
		{"batch", "[" + frameA + "," + frameB + ",1]\n", []string{"[" + frameA + "," + frameB + ",1]"}, nil, false},
		{"batch in an indented message", "{\n\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\n[]\n}\n", []string{"{\n\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\n[]\n}"}, nil, false},
		{"two on a line", frameA + frameB + "\n" + frameB + "\n", []string{frameA + frameB, frameB}, nil, false},
		{"text behind", frameA + " sent\n", []string{frameA + " sent"}, nil, false},
		{"text behind a request", `{"jsonrpc":"2.0","id":1,"method":"m"} got` + "\n", nil, []string{`{"jsonrpc":"2.0","id":1,"method":"m"} got`}, false},
		{"broken reply", cutReply + "\"x\n" + frameB + "\n", []string{"no reply to request 1: JSON ends too early: want the end of a string at byte 45", frameB}, nil, false},
		{"reply cut between values", cutReply + "\n\n" + frameB + "\n", []string{"no reply to request 1: JSON ends too early: want a value at byte 43", frameB}, nil, false},
		{"reply cut before text", cutReply + "\nhello\n", []string{"no reply to request 1: JSON ends too early: want a value at byte 43"}, []string{"hello"}, false},
		{"reply over two lines", cutReply + "\n1]}}\n" + frameB + "\n", []string{cutReply + "\n1]}}", frameB}, nil, false},
		{"too deep", deepReply(MaxDepth+1, true) + "\n" + strings.Repeat("[", MaxDepth+1) + "\n",
			[]string{"no reply to request 1: JSON nests too deep: more than 10000 levels at byte 10009", strings.Repeat("[", MaxDepth+1)}, nil, false},
		{"broken log", `{"level":"info","id":1,"result":NaN}` + "\n", nil, []string{`{"level":"info","id":1,"result":NaN}`}, false},
		{"batch of nothing", "[1,2]\n" + frameA + "\n", []string{frameA}, []string{"[1,2]"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				frames, log, err := readLines(r, 1<<20)
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				var noise []string
				for _, line := range log.lines {
					noise = append(noise, string(line))
				}
				if diff := cmp.Diff([][]string{tt.frames, tt.noise}, [][]string{frames, noise}); diff != "" {
					t.Errorf("frames, noise (-want +got)\n%s", diff)
				}
				if log.bom != tt.bom {
					t.Errorf("byte order mark: got %v, want %v", log.bom, tt.bom)
				}
			}
		})
	}
}

func TestLinesBound(t *testing.T) {
	fits := frameA + strings.Repeat(" ", 1000-len(frameA))
	if frames, _, err := readLines(strings.NewReader(fits+"\r\n"), 1000); len(frames) != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("a line of exactly the limit: got %d frames, %v", len(frames), err)
	}
	endless := io.MultiReader(strings.NewReader(frameA+"\n"), endlessReader{})
	frames, _, err := readLines(endless, 100<<10)
	var tooLarge *FrameTooLargeError
	if !errors.As(err, &tooLarge) || len(frames) != 1 {
		t.Errorf("an endless line: got %d frames, %v", len(frames), err)
	}
}

func TestLinesBoundOfIndentedMessage(t *testing.T) {
	in := "{\n" + strings.Repeat("  \"a\":\n", 1000) + frameA + "\n"
	frames, noise, _ := readLines(strings.NewReader(in), 500)
	if len(frames) != 1 || noise.count != 1001 {
		t.Errorf("got %d frames and %d lines of noise, want 1 and 1001", len(frames), noise.count)
	}
	if len(noise.lines) != noiseLines {
		t.Errorf("kept %d lines of noise, want %d", len(noise.lines), noiseLines)
	}
}

// A reply laid out over lines fails its request once it goes beyond the limit.
func TestLinesBoundOfIndentedReply(t *testing.T) {
	in := "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n" + strings.Repeat("    \"a\": 1,\n", 1000) + "    \"a\": 1\n  }\n}\n" + frameB + "\n"
	frames, _, err := readLines(strings.NewReader(in), 500)
	want := []string{"no reply to request 1: message is larger than the limit of 500 bytes: 502 of it were read", frameB}
	if diff := cmp.Diff(want, frames); diff != "" || !errors.Is(err, io.EOF) {
		t.Errorf("%v (-want +got)\n%s", err, diff)
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

type endlessReader struct{}

func (endlessReader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
