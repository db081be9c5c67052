package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// shelf keeps what is spooled in memory, or of each no more than its size and sum.
type shelf struct {
	mu    sync.Mutex
	books []*book
	light bool
}

// book is one message kept.
type book struct {
	text   bytes.Buffer
	light  bool
	size   int64
	sum    uint32
	closed bool
	name   string
}

func (s *shelf) open() (io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &book{light: s.light, name: fmt.Sprintf("book %d", len(s.books)+1)}
	s.books = append(s.books, b)
	return b, nil
}

func (b *book) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	if b.sum = crc32.Update(b.sum, crc32.IEEETable, p); !b.light {
		b.text.Write(p)
	}
	return len(p), nil
}
func (b *book) Close() error { b.closed = true; return nil }
func (b *book) Name() string { return b.name }

// oversizedReply is a reply of so many bytes that is made as it is read.
func oversizedReply(id string, size int) io.Reader {
	start := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":"`, id)
	return io.MultiReader(strings.NewReader(start), io.LimitReader(endlessReader{}, int64(size-len(start)-2)), strings.NewReader(`"}`))
}

const (
	oversizedSize  = 220 << 20
	oversizedLimit = 14 << 20 // sixteen of these are more than oversizedSize
	// oversizedHeap bounds all that is allocated while a message of oversizedSize goes by: the growing buffer up to the limit, copied
	// once where a message is put together of lines, and the start and end of it.
	oversizedHeap = 8 * oversizedLimit
)

// A reply of 220 MiB fails its call and goes to where it is kept, over every transport, within a bound of all memory ever allocated.
func TestOversizedIsKeptOnDiskAndNotInMemory(t *testing.T) {
	event := func(w io.Writer, id string) {
		io.WriteString(w, "data: ")
		io.Copy(w, oversizedReply(id, oversizedSize))
		io.WriteString(w, "\n\n")
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, oversizedReply("1", oversizedSize)); err != nil {
		t.Fatal(err)
	}
	old := newSSEServer(t, "event: endpoint\ndata: /messages\n\n")
	old.bulk = func(w io.Writer) { event(w, "1") }
	old.post = func(Envelope) string { return "bulk" }
	for name, link := range map[string]func(Spool) Link{
		"stdio": func(s Spool) Link {
			ctx, stop := context.WithCancel(t.Context())
			in := io.MultiReader(oversizedReply("1", oversizedSize), strings.NewReader("\n"), silence{ctx})
			return &lineLink{lines: newLineReader(in, &oversizedLog{limit: oversizedLimit, spool: s}, &noiseLog{}), stop: stop}
		},
		"http": func(s Spool) Link {
			server := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request, e Envelope) {
				answerJSON(w, "")
				io.Copy(w, oversizedReply("1", oversizedSize))
			}, nil)
			return dial(t, HTTPOptions{URL: server.URL, MaxFrame: oversizedLimit, Spool: s})
		},
		"http stream": func(s Spool) Link {
			server := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request, e Envelope) {
				answerSSE(w, "")
				event(w, "1")
			}, nil)
			return dial(t, HTTPOptions{URL: server.URL, MaxFrame: oversizedLimit, Spool: s})
		},
		"sse": func(s Spool) Link {
			return dialSSE(t, HTTPOptions{URL: old.URL + "/sse", MaxFrame: oversizedLimit, Spool: s})
		},
	} {
		t.Run(name, func(t *testing.T) {
			kept := shelf{light: true}
			l := link(kept.open)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var heard logbook
			c := NewClient(l, ClientOptions{OnNoise: func(kind string, frame []byte) { heard.add("%s %d", kind, len(frame)) }})
			_, err := c.Call(testContext(t), "x", nil)
			runtime.ReadMemStats(&after)
			var tooLarge *FrameTooLargeError
			if !errors.As(err, &tooLarge) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(FrameTooLargeError{Limit: oversizedLimit, Size: oversizedSize, Whole: true, Kept: "book 1"}, *tooLarge); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > oversizedHeap {
				t.Errorf("allocated %d bytes", spent)
			}
			if len(kept.books) != 1 || !kept.books[0].closed || kept.books[0].size != oversizedSize || kept.books[0].sum != sum.Sum32() {
				t.Errorf("kept %+v", kept.books)
			}
			if got := l.(interface{ Oversized() []FrameTooLargeError }).Oversized(); len(got) != 1 || got[0] != *tooLarge {
				t.Errorf("the link tells of %+v", got)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// silence is a peer that says nothing until ctx ends.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, io.EOF
}

// What is kept is the message, to the byte, wherever reads end and however it is framed.
func TestOversizedIsKeptAsItCame(t *testing.T) {
	large := func(c string, n int) string { return strings.Repeat(c, n) }
	text := large("log ", 600)
	note := `{"jsonrpc":"2.0","method":"m","params":"` + large("y", 1500) + `"}`
	reply := `{"jsonrpc":"2.0","id":1,"result":"` + large("z", 1001) + `"}`
	endless := large("e", 17_000)
	for name, read := range map[string]func(io.Reader, *oversizedLog) error{
		"stdio": func(r io.Reader, log *oversizedLog) error {
			l := newLineReader(r, log, &noiseLog{})
			for {
				if _, err := l.next(); err != nil {
					return err
				}
			}
		},
		"sse": func(r io.Reader, log *oversizedLog) error {
			s := newSSEReader(r, log)
			for {
				if _, err := s.next(); err != nil {
					return err
				}
			}
		},
	} {
		in := strings.Join([]string{text, frameA, note, frameB, reply, endless}, "\n")
		if name == "sse" {
			in = "data: " + strings.ReplaceAll(in, "\n", "\n\ndata:")
		}
		for i, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.HalfReader(strings.NewReader(in))} {
			kept := shelf{}
			log := &oversizedLog{limit: 1000, spool: kept.open}
			if err := read(r, log); !errors.As(err, new(*FrameTooLargeError)) {
				t.Errorf("%s: got %v", name, err)
			}
			var got []string
			for _, b := range kept.books {
				got = append(got, b.text.String())
			}
			if len(got) == 4 && strings.HasPrefix(endless, got[3]) && len(got[3]) > 15_900 {
				got[3] = endless
			}
			if diff := cmp.Diff([]string{text, note, reply, endless}, got); diff != "" {
				t.Errorf("%s, %d (-want +got)\n%.3000s", name, i, diff)
			}
			if all := log.all(); len(all) != 4 || !all[0].Whole || all[2].Size != int64(len(reply)) || all[3].Whole || all[3].Kept != "book 4" {
				t.Errorf("%s, %d: %+v", name, i, all)
			}
		}
	}
}

// brittle is a place that takes so many bytes, and then no more.
type brittle struct{ room int }

func (b *brittle) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}
func (b *brittle) Close() error { return nil }
func (b *brittle) Name() string { return "f" }

func TestOversizedTells(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("z", 2000) + `"}` + "\n"
	for _, tt := range []struct {
		name  string
		spool Spool
		want  string
	}{
		{"nobody wants it", nil, "message is larger than the limit of 1000 bytes: it has 2036"},
		{"not this one", func() (io.WriteCloser, error) { return nil, nil }, "message is larger than the limit of 1000 bytes: it has 2036"},
		{"no place", func() (io.WriteCloser, error) { return nil, errors.New("no such folder") },
			"message is larger than the limit of 1000 bytes: it has 2036, and it could not be kept: no such folder"},
		{"no room", func() (io.WriteCloser, error) { return &brittle{100}, nil },
			"message is larger than the limit of 1000 bytes: it has 2036, the start is kept in f: the disk is full"},
		{"kept", (&shelf{}).open, "message is larger than the limit of 1000 bytes: it has 2036, kept in book 1"},
	} {
		l := newLineReader(strings.NewReader(line+frameA+"\n"), &oversizedLog{limit: 1000, spool: tt.spool}, &noiseLog{})
		r, err := l.next()
		if err != nil {
			t.Fatal(err)
		}
		var lost *ReplyLostError
		if !errors.As(r.err, &lost) || lost.Err.Error() != tt.want {
			t.Errorf("%s: got %v", tt.name, r.err)
		}
		if r, err := l.next(); err != nil || r.err != nil || string(r.env.Raw) != frameA {
			t.Errorf("%s: then got %s, %v, %v", tt.name, r.env.Raw, r.err, err)
		}
	}
	cut := FrameTooLargeError{Limit: 10, Size: 160}
	if got, want := cut.Error(), "message is larger than the limit of 10 bytes: 160 of it were read"; got != want {
		t.Errorf("got %q", got)
	}
}

// Where nothing is kept, an answer over HTTP is not read on for nothing; its length may be known all the same.
func TestOversizedHTTPAnswerIsNotReadOn(t *testing.T) {
	for _, announced := range []string{"", "100000000000"} {
		s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, _ Envelope) {
			if announced != "" {
				w.Header().Set("Content-Length", announced)
			}
			answerJSON(w, "")
			io.Copy(w, io.LimitReader(endlessReader{}, 64<<10))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, nil)
		h := dial(t, HTTPOptions{URL: s.URL, MaxFrame: 10_000})
		_, err := NewClient(h, ClientOptions{}).Call(testContext(t), "x", nil)
		want := FrameTooLargeError{Limit: 10_000, Size: 10_001}
		if announced != "" {
			want.Size, want.Whole = 100_000_000_000, true
		}
		var tooLarge *FrameTooLargeError
		if !errors.As(err, &tooLarge) || *tooLarge != want {
			t.Errorf("announced %q: got %v", announced, err)
		}
	}
}

func TestLostID(t *testing.T) {
	for _, tt := range []struct {
		head, tail string
		id         string
		reply      bool
	}{
		{`{"jsonrpc":"2.0","id":1,"result":"xx`, `xx"}`, "1", true},
		{`{"jsonrpc":"2.0","id":1,"params":"xx`, `xx","method":"m"}`, "", false},
		{`{"params":"xx`, `xx","method":"m","jsonrpc":"2.0","id":1}`, "", false},
		{`{"method":"m","id":1,"params":"xx`, `xx"}`, "", false},
		{`{"level":"info","text":"xx`, `xx"}`, "", false},
		{`{"level":"info","text":"xx`, `xx","id":7}`, "7", false},
		{`{"level":"info","id":7,"text":"xx`, `xx"}`, "7", false},
		{`{"jsonrpc":"2.0","x":"xx`, `xx","id":7}`, "7", true},
		{`[INFO] xx`, `xx`, "", false},
		{`[{"jsonrpc":"2.0","id":1,"result":"xx`, `xx"}]`, "", true},
		{` {"result":"xx`, `xx","id":12}` + " ", "12", true},
		{`"xx`, `xx","id":12}`, "", false},
	} {
		id, reply := lostID([]byte(tt.head), []byte(tt.tail))
		if string(id) != tt.id || reply != tt.reply {
			t.Errorf("%s ... %s: got %q %v, want %q %v", tt.head, tt.tail, id, reply, tt.id, tt.reply)
		}
	}
}
