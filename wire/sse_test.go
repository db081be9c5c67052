package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readEvents reads a whole stream and renders each event as name|data.
func readEvents(r io.Reader, max int) ([]string, *sseReader, error) {
	s := newSSEReader(r, &oversizedLog{limit: max})
	var got []string
	for {
		e, err := s.next()
		if err != nil {
			return got, s, err
		}
		if e.lost != nil {
			got = append(got, fmt.Sprintf("lost %s %d", orMessage(e.name), e.lost.Size))
			continue
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

// Events beyond the limit are skipped, what stands around them stays; one without an end ends the stream.
func TestSSEIsBounded(t *testing.T) {
	const after = "\n\nevent: x\ndata: b\n\n"
	large := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		name, in string
		want     []string
		lastID   string
		endless  bool
	}{
		{"one line", "data: " + large, []string{"lost message 5000"}, "", false},
		{"one line and more", "event: y\ndata: " + large + after, []string{"lost y 5000", "x|b"}, "", false},
		{"several lines", "data: " + large + "\r\ndata\ndata:" + large + "\nid: 7\ndata: a" + after, []string{"lost message 10004", "x|b"}, "7", false},
		{"grows over the limit", "id: 3\n" + strings.Repeat("data: xxxx\n", 200) + after, []string{"lost message 999", "x|b"}, "3", false},
		{"empty lines of data", strings.Repeat("data:\n", 1000) + after, []string{"lost message 999", "x|b"}, "", false},
		{"comments", strings.Repeat(": ping\n", 500) + "data: a" + after, []string{"lost message 1", "x|b"}, "", false},
		{"comments alone", strings.Repeat(": ping\n", 500) + after, []string{"x|b"}, "", false},
		{"a long id", "id: " + strings.Repeat("7", 5000) + after, []string{"x|b"}, "", false},
		{"the name at the end", "data: " + large + "\nevent: z" + after, []string{"lost z 5000", "x|b"}, "", false},
		{"endless line", "data: a\n\ndata: " + strings.Repeat("x", 20_000) + after, []string{"|a"}, "", true},
		{"endless event", strings.Repeat("data: xxxx\n", 2000) + after, nil, "", true},
		{"endless comments", strings.Repeat(": ping\n", 5000) + after, nil, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, s, err := readEvents(r, 1000)
				var tooLarge *FrameTooLargeError
				if tt.endless != errors.As(err, &tooLarge) || tt.endless && tooLarge.Limit != 1000 || !tt.endless && !errors.Is(err, io.EOF) {
					t.Errorf("got %v", err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" || s.lastID != tt.lastID {
					t.Errorf("id %q (-want +got)\n%s", s.lastID, diff)
				}
			}
		})
	}
}

// An event must come out when its blank line is there, even where that line ends in a CR that an LF might follow.
func TestSSEDeliversAtOnce(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "data: a\r\r")
	e, err := newSSEReader(r, &oversizedLog{limit: 100}).next()
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

// plainStream is what the standard makes of a stream.
type plainStream struct {
	events []string
	lastID string
	retry  time.Duration
}

// plainSSE is the standard's algorithm, written for clearness: whole input, no bounds. The four departures of sseReader are in it
// too: an event at the end that lacks its blank line comes out; an event with an empty line of data does too; an id counts at
// once, with or without an event; and an id that no header can carry is not taken up.
func plainSSE(in []byte) plainStream {
	text := strings.TrimPrefix(string(in), "\xef\xbb\xbf")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var got plainStream
	var data []string
	name := ""
	for _, line := range append(strings.Split(text, "\n"), "") {
		field, value := line, ""
		if at := strings.IndexByte(line, ':'); at >= 0 {
			field, value = line[:at], strings.TrimPrefix(line[at+1:], " ")
		}
		switch {
		case line == "":
			if data != nil {
				got.events = append(got.events, name+"|"+strings.Join(data, "\n"))
			}
			data, name = nil, ""
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		case field == "id" && fitsHeader(value):
			got.lastID = value
		case field == "retry" && isDigits(value):
			if ms, err := strconv.Atoi(value); err == nil && ms < 1<<31 {
				got.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	return got
}

// fitsHeader reports whether id, of which the standard asks to hold no NUL, can be sent back.
func fitsHeader(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] == 0x7f {
			return false
		}
	}
	return len(id) <= 4<<10
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// FuzzSSE holds the reader against the standard, with a limit that no event reaches, and then with one that some do: those are
// told of and nothing else changes.
func FuzzSSE(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "event: x\r\ndata:a\r\rdata\n\nid: 1\n\n", "\xef\xbb\xbf: c\ndata: a", "\r\n\r\n\n\r", "\xefdata: a\n\n",
		"retry: 10\nid\ndata:  x\ndata:\n\n", "id: a\x00b\nid:c\x7f\ndata\n\nid: \xff\n", "retry: 1x\nretry: +5\nretry:007\nretry:  8\nretry: 99999999999\n",
		"data\r\ndata\rdata\n\r\n", ":\n:data: x\n data: y\ndata : z\nDATA: w\n\n", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", "\xef\xbb", "\r",
		"event:\nevent: a: b\ndata: {\"a\":\ndata: 1}\n\n", "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nid: 4\nevent: y\n\ndata: b\n\n",
		"data\ndata\ndata:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\rdata: \r\r\n: c\n\ndata: a\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := plainSSE(in)
		for _, r := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
			got, s, err := readEvents(r, len(in)+100)
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.events, got); diff != "" {
				t.Fatalf("(-want +got)\n%s", diff)
			}
			if s.lastID != want.lastID || s.retry != want.retry {
				t.Fatalf("id %q retry %v, want %q %v", s.lastID, s.retry, want.lastID, want.retry)
			}
		}
		if len(in) < 16*smallEvent {
			checkSmallLimit(t, in, want)
		}
	})
}

// smallEvent is a limit that events of a fuzzed stream go beyond.
const smallEvent = 40

// checkSmallLimit reads in again with that limit, and takes the large events from where they were kept.
func checkSmallLimit(t *testing.T, in []byte, want plainStream) {
	for _, r := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
		kept := shelf{}
		s := newSSEReader(r, &oversizedLog{limit: smallEvent, spool: kept.open})
		var got []string
		lost := 0
		for {
			e, err := s.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				break
			}
			if e.lost != nil {
				e.data = kept.books[lost].text.Bytes()
				lost++
			}
			got = append(got, e.name+"|"+string(e.data))
		}
		if diff := cmp.Diff(want.events, got); diff != "" || lost != len(kept.books) {
			t.Fatalf("%d large ones of %d kept (-want +got)\n%s", lost, len(kept.books), diff)
		}
		if s.lastID != want.lastID || s.retry != want.retry {
			t.Fatalf("with a small limit: id %q retry %v, want %q %v", s.lastID, s.retry, want.lastID, want.retry)
		}
	}
}

func orMessage(name string) string {
	if name == "" {
		return "message"
	}
	return name
}
