package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readEvents reads a whole stream and renders each event as name|data.
func readEvents(r io.Reader, max int) ([]string, *sseReader, error) {
	s := newSSEReader(r, max)
	var got []string
	for {
		e, err := s.next()
		if err != nil {
			return got, s, err
		}
		got = append(got, e.name+"|"+string(e.data))
	}
}

func TestSSE(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
		lastID   string
		retry    time.Duration
	}{
		{"plain", "event: message\ndata: {}\n\n", []string{"message|{}"}, "", 0},
		{"CRLF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"|a\nb", "|c"}, "", 0},
		{"CR", "data: a\rdata: b\r\rdata: c\r\r", []string{"|a\nb", "|c"}, "", 0},
		{"mixed", "data: a\r\ndata: b\rdata: c\n\r\n", []string{"|a\nb\nc"}, "", 0},
		{"comments and unknown fields", ": hi\ndata: a\n:\nfoo: bar\n\n", []string{"|a"}, "", 0},
		{"field without colon", "data\ndata: b\n\n", []string{"|\nb"}, "", 0},
		{"one space is dropped", "data:  a\ndata:b\n\n", []string{"| a\nb"}, "", 0},
		{"id and retry", "id: 7\nretry: 1500\ndata: a\n\nid\ndata: b\n\n", []string{"|a", "|b"}, "", 1500 * time.Millisecond},
		{"id stays", "id: 7\ndata: a\n\ndata: b\n\n", []string{"|a", "|b"}, "7", 0},
		{"id without data", "id: 8\n\n", nil, "8", 0},
		{"bad id and retry", "id: a\x00b\nretry: 1x\nretry: -1\n\n", nil, "", 0},
		{"name without data is dropped", "event: x\n\ndata: a\n\n", []string{"|a"}, "", 0},
		{"BOM", "\xef\xbb\xbfdata: a\n\n", []string{"|a"}, "", 0},
		{"no blank line at the end", "data: a\n\ndata: b", []string{"|a", "|b"}, "", 0},
		{"empty", "", nil, "", 0},
		{"long line", "data: " + strings.Repeat("x", 40<<10) + "\n\n", []string{"|" + strings.Repeat("x", 40<<10)}, "", 0},
	} {
		for _, mode := range []struct {
			name string
			wrap func(io.Reader) io.Reader
		}{{"whole", func(r io.Reader) io.Reader { return r }}, {"bytewise", iotest.OneByteReader}} {
			t.Run(tt.name+"/"+mode.name, func(t *testing.T) {
				got, s, err := readEvents(mode.wrap(strings.NewReader(tt.in)), 1<<20)
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if s.lastID != tt.lastID || s.retry != tt.retry {
					t.Errorf("got id %q retry %v, want %q %v", s.lastID, s.retry, tt.lastID, tt.retry)
				}
			})
		}
	}
}

func TestSSEIsBounded(t *testing.T) {
	for name, in := range map[string]string{
		"one line":    "data: " + strings.Repeat("x", 5000),
		"many lines":  strings.Repeat("data:\n", 5000),
		"comments":    strings.Repeat(": ping\n", 5000),
		"endless ids": "id: " + strings.Repeat("7", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readEvents(strings.NewReader(in), 1000)
			var tooLarge *FrameTooLargeError
			if !errors.As(err, &tooLarge) || tooLarge.Limit != 1000 {
				t.Errorf("got %v, want a FrameTooLargeError of 1000", err)
			}
		})
	}
}

// An event must come out when its blank line is there, even where that line ends in a CR that an LF might follow.
func TestSSEDeliversAtOnce(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "data: a\r\r")
	e, err := newSSEReader(r, 100).next()
	if err != nil || string(e.data) != "a" {
		t.Errorf("got %q, %v", e.data, err)
	}
}

func TestSSEDropsACutEvent(t *testing.T) {
	in := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	got, _, err := readEvents(in, 100)
	if diff := cmp.Diff([]string{"|a"}, got); diff != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
}

// plainSSE is the standard's algorithm, written for clearness: whole input, no bounds.
func plainSSE(in []byte) []string {
	text := strings.TrimPrefix(string(in), "\xef\xbb\xbf")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var got, data []string
	name := ""
	for _, line := range append(strings.Split(text, "\n"), "") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				got = append(got, name+"|"+strings.Join(data, "\n"))
			}
			data, name = nil, ""
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		}
	}
	return got
}

func FuzzSSE(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "event: x\r\ndata:a\r\rdata\n\nid: 1\n\n", "\xef\xbb\xbf: c\ndata: a", "\r\n\r\n\n\r", "\xefdata: a\n\n",
		"retry: 10\nid\ndata:  x\ndata:\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := plainSSE(in)
		for _, r := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
			got, _, err := readEvents(r, len(in)+100)
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-want +got)\n%s", diff)
			}
		}
	})
}
