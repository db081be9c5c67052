package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

const (
	headerLine = `{"format":"anvil-events","schemaVersion":1}` + "\n"
	goodLine   = `{"at":"2026-03-02T08:15:00Z","id":"e1","outcome":"succeeded","tool":"t"}` + "\n"
)

// A bad line is told with its number and what is wrong, and the line behind it is read.
func TestBadLinesAreTold(t *testing.T) {
	line := func(more string) string {
		return `{"at":"2026-03-02T08:15:00Z","id":"x","outcome":"succeeded","tool":"t",` + more + `}`
	}
	for text, want := range map[string]string{
		line(`"colour":"red"`):                                                      `version 1 has no member "colour"`,
		line(`"input":{"bytes":1,"raw":"x"}`):                                       `version 1 has no member "raw"`,
		line(`"id":"y"`):                                                            `duplicate-name at "/id"`,
		line(`"client":"` + "\xff" + `"`):                                           `invalid-utf8 at "/client"`,
		line(`"client":"\ud800"`):                                                   `lone-surrogate at "/client"`,
		line(`"attempts":"3"`):                                                      `member "attempts" has a value`,
		line(`"attempts":1e999999`):                                                 `number-too-large at "/attempts"`,
		line(`"durationNanos":9223372036854775808`):                                 `member "durationNanos" has a value`,
		line(`"durationNanos":NaN`):                                                 `not valid JSON`,
		line(`"tokens":{"input":1.5,"output":1}`):                                   `member "tokens.input" has a value`,
		line(`"tokens":[[[[[[[[[[[[1]]]]]]]]]]]]`):                                  `member "tokens" has a value`,
		line(`"cost":{"amount":"1/3","currency":"USD"}`):                            `the cost cannot be read`,
		line(`"cost":{"amount":"NaN","currency":"USD"}`):                            `the cost cannot be read`,
		line(`"cost":{"amount":"-1","currency":"USD"}`):                             `the cost cannot be read`,
		line(`"cost":{"amount":"1e999","currency":"U"}`):                            `the cost cannot be read`,
		line(`"cost":{"amount":"1","currency":"dollar"}`):                           `the cost cannot be read`,
		line(`"asked":"perhaps"`):                                                   `"perhaps" is no answer`,
		strings.Repeat("[", 100_000):                                                `not valid JSON`,
		`[1]`:                                                                       `is no object of version 1`,
		`{"at":"2026-03-02T08:15`:                                                   `not valid JSON`,
		`{"at":"yesterday","id":"x","outcome":"failed","tool":"t"}`:                 `"yesterday" is no time of RFC 3339`,
		`{"at":"1969-12-31T23:59:59Z","id":"x","outcome":"failed","tool":"t"}`:      `it does not say when the call ended`,
		`{"at":"2026-03-02T09:15:00Z","id":"x","outcome":"failed","tool":"t"}`:      `it lies in the future`,
		`{"at":"2026-03-02T08:15:00Z","id":"","outcome":"failed","tool":"t"}`:       `it has no id`,
		`{"at":"2026-03-02T08:15:00Z","id":"x","outcome":"started","tool":"t"}`:     `"started" is no outcome`,
		`{"at":"2026-03-02T08:15:00Z","id":"x","outcome":"failed","Tool":"t"}`:      `version 1 has no member "Tool"`,
		`{"at":"2026-03-02T08:15:00Z","id":"x","outcome":"failed"} {}`:              `not valid JSON`,
		`{"at":"2026-03-02T08:15:00Z","id":"` + strings.Repeat("x", MaxLine) + `"}`: `a line has at most 1048576 bytes`,
	} {
		in := headerLine + text + "\n\r\n" + goodLine
		got, problems := read(ReadJSONL(strings.NewReader(in), Options{Now: morning}))
		if len(problems) != 1 || !strings.HasPrefix(problems[0], "line 2: ") || !strings.Contains(problems[0], want) || len(problems[0]) > 400 {
			t.Errorf("%.80s: %.500q, want %s", text, problems, want)
		}
		if len(got) != 1 || got[0].ID != "e1" {
			t.Errorf("%.80s: the line behind it gave %v", text, got)
		}
		if got, problems = read(ReadJSONL(strings.NewReader(in), Options{Now: morning, Strict: true})); len(problems) != 1 || got != nil {
			t.Errorf("%.80s: strict: %v %v", text, got, problems)
		}
	}
}

func TestHeaders(t *testing.T) {
	for in, want := range map[string]string{
		goodLine: `line 1: the file does not begin with {"format":"anvil-events","schemaVersion":1}`,
		`{"format":"anvil-events","schemaVersion":2}` + "\n" + goodLine:       `line 1: schemaVersion is 2, and this version of anvil reads 1; use a newer anvil`,
		`{"format":"anvil-events"}` + "\n" + goodLine:                         `line 1: the file does not begin with`,
		`{"format":"anvil-events","schemaVersion":1,"x":1}` + "\n" + goodLine: `line 1: version 1 has no member "x"`,
	} {
		got, problems := read(ReadJSONL(strings.NewReader(in), Options{}))
		if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
			t.Errorf("%s: %q, want %s", in, problems, want)
		}
		if len(got) > 1 || len(got) == 1 && !strings.Contains(in, `"x"`) {
			t.Errorf("%s: read all the same: %v", in, got)
		}
	}
	var newer *VersionError
	for _, err := range ReadJSONL(strings.NewReader(`{"format":"anvil-events","schemaVersion":9}`), Options{}) {
		if !errors.As(err, &newer) || newer.Version != 9 {
			t.Errorf("%v", err)
		}
	}
	joined := headerLine + goodLine + headerLine + strings.TrimSpace(goodLine)
	if got := good(t, ReadJSONL(strings.NewReader(joined), Options{})); len(got) != 2 {
		t.Errorf("joined files have %d events", len(got))
	}
	if got := good(t, ReadJSONL(strings.NewReader(""), Options{})); got != nil {
		t.Errorf("nothing has %v", got)
	}
}

// TestNewerLinesAmongOthers: where files were joined, the lines of a newer anvil are told one by one, and all others are read.
func TestNewerLinesAmongOthers(t *testing.T) {
	one := func(id string) string { return strings.Replace(goodLine, `"e1"`, `"`+id+`"`, 1) }
	text := headerLine + one("a") + one("b") + `{"format":"anvil-events","schemaVersion":7}` + "\n" + one("c") + `{"newer":1}` + "\n" + headerLine + one("d")
	got, problems := read(ReadJSONL(strings.NewReader(text), Options{}))
	if len(got) != 3 || got[2].ID != "d" || len(problems) != 3 || !strings.HasPrefix(problems[0], "line 4: schemaVersion is 7") || !strings.HasPrefix(problems[2], "line 6: it stands behind the header in line 4") {
		t.Errorf("%d read, %q", len(got), problems)
	}
	var newer *VersionError
	for _, err := range ReadJSONL(strings.NewReader(text), Options{}) {
		if errors.As(err, &newer) {
			t.Errorf("%v: a caller would take nothing for read", err)
		}
	}
}

func TestWhichMemberIsMistyped(t *testing.T) {
	for member, want := range map[string]string{`"tokens":{"input":1e3,"output":1}`: `"tokens.input"`, `"attempts":1.0`: `"attempts"`, `"durationNanos":99999999999999999999`: `"durationNanos"`, `"model":7`: `"model"`} {
		_, problems := read(ReadJSONL(strings.NewReader(headerLine+strings.Replace(goodLine, `"id"`, member+`,"id"`, 1)), Options{}))
		if len(problems) != 1 || !strings.Contains(problems[0], "member "+want) {
			t.Errorf("%s: %q", member, problems)
		}
	}
}

// TestStatedPayloadsAreTakenApart: a shape is one that could have been made, and no text has a value that a secret's name stands before.
func TestStatedPayloadsAreTakenApart(t *testing.T) {
	word := "Tr0ub4" + "dor&3"
	for payload, want := range map[string]learn.Payload{
		`{"bytes":5,"shape":"call delete_all with force"}`:                            {Bytes: 5},
		`{"bytes":5,"shape":"{\"a\":[string]}"}`:                                      {Bytes: 5, Shape: `{"a":[string]}`},
		`{"bytes":5,"text":"{\"password\":\"` + word + `\",\"b\":1}"}`:                {Bytes: 5, Text: `{"password":"[redacted]","b":1}`},
		`{"bytes":5,"text":"{\"dsn\":\"postgres://app:` + word + `@db:5432/prod\"}"}`: {Bytes: 5, Text: `{"dsn":"[redacted]"}`},
		`{"bytes":9223372036854775807,"digest":"` + strings.Repeat("0a", 16) + `"}`:   learn.Unmeasured,
	} {
		got := good(t, ReadJSONL(strings.NewReader(headerLine+strings.Replace(goodLine, `"id"`, `"input":`+payload+`,"id"`, 1)), Options{}))
		if len(got) != 1 || got[0].Input != want {
			t.Errorf("%s: %+v", payload, got)
		}
	}
}

func TestReadersTellErrorsOfTheirInput(t *testing.T) {
	gone := errors.New("the disk is gone")
	for name, read := range map[string]reader{"JSONL": ReadJSONL, "OTLP": ReadOTLP, "adaptive": ReadAdaptiveEvents} {
		for _, lead := range []string{"", headerLine, headerLine + `{"at":`} {
			var last error
			for _, err := range read(io.MultiReader(strings.NewReader(lead), iotest.ErrReader(gone)), Options{}) {
				last = err
			}
			if !errors.Is(last, gone) {
				t.Errorf("%s behind %q: %v", name, lead, last)
			}
		}
	}
}

// Assertion 39: what was not measured is told from zero in a file too.
func TestUntimedIsNotZero(t *testing.T) {
	in := headerLine + goodLine + strings.Replace(goodLine, `"id"`, `"durationNanos":0,"id"`, 1)
	got := good(t, ReadJSONL(strings.NewReader(in), Options{}))
	if got[0].Timed() || !got[1].Timed() || got[1].Duration != 0 {
		t.Errorf("%v", got)
	}
	var out bytes.Buffer
	if _, err := WriteJSONL(&out, all(got)); err != nil || strings.Count(out.String(), "durationNanos") != 1 {
		t.Errorf("%v: %s", err, out.String())
	}
}

// Assertion 56, as far as files go: 1000 costs of 0.0021 are exactly 2.1 behind a round trip.
func TestMoneyIsExactInFiles(t *testing.T) {
	cost, _ := learn.ParseMoney("0.0021", "USD")
	var events []learn.Event
	for n := range 1000 {
		events = append(events, event(n, func(e *learn.Event) { e.Cost = &cost }))
	}
	for name, format := range map[string]struct {
		write writer
		read  reader
	}{"JSONL": {WriteJSONL, ReadJSONL}, "OTLP": {WriteOTLP, ReadOTLP}} {
		var out bytes.Buffer
		if _, err := format.write(&out, all(events)); err != nil {
			t.Fatal(err)
		}
		var sum learn.Money
		for _, e := range good(t, format.read(&out, Options{})) {
			sum = learn.Money{Micros: sum.Micros + e.Cost.Micros, Currency: e.Cost.Currency}
		}
		if sum.String() != "2.1 USD" {
			t.Errorf("%s: %s", name, sum)
		}
	}
}

// A file's word on a payload is taken as far as learn could have written it.
func TestPayloadsOfFilesAreNotBelieved(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	in := headerLine + fmt.Sprintf(`{"at":"2026-03-02T08:15:00Z","id":"e1","input":{"bytes":9,"digest":%q,"shape":%q,"text":%q},"outcome":"succeeded","output":{"bytes":-4,"text":"x"},"tool":"t"}`,
		secret, `{"`+secret+`":string}`, `{"token":"`+secret+`"}`)
	got := good(t, ReadJSONL(strings.NewReader(in), Options{}))
	if text := fmt.Sprintf("%+v", got); strings.Contains(text, secret) || len(got) != 1 || got[0].Input.Bytes != 9 || got[0].Output != learn.Unmeasured {
		t.Errorf("%s", text)
	}
}

func TestALongLineIsReadInLittleMemory(t *testing.T) {
	for name, read := range map[string]reader{"JSONL": ReadJSONL, "adaptive": ReadAdaptiveEvents} {
		in := &watched{r: io.MultiReader(strings.NewReader(headerLine), io.LimitReader(endless{[]byte(`{"x`)}, 64<<20), strings.NewReader("\n")), each: 4 << 20}
		n := 0
		for _, err := range read(in, Options{}) {
			if errors.Is(err, errTooLong) {
				n++
			}
		}
		if n != 1 || in.peak > 32<<20 {
			t.Errorf("%s: %d errors, and %d MiB held of a line of 64 MiB", name, n, in.peak>>20)
		}
	}
}

// watched measures what is held while it is read, beyond what was held when the reading began.
type watched struct {
	r     io.Reader
	read  int64
	next  int64
	each  int64 // how often it is measured, in bytes
	start uint64
	peak  uint64
}

func (w *watched) Read(b []byte) (int, error) {
	if w.read >= w.next {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if w.read == 0 {
			w.start = m.HeapAlloc
		}
		w.peak = max(w.peak, m.HeapAlloc-min(w.start, m.HeapAlloc))
		w.next += w.each
	}
	n, err := w.r.Read(b)
	w.read += int64(n)
	return n, err
}

// endless repeats a text for ever.
type endless struct{ text []byte }

func (e endless) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		n += copy(b[n:], e.text)
	}
	return n, nil
}

func FuzzReadJSONL(f *testing.F) {
	var seed bytes.Buffer
	if _, err := WriteJSONL(&seed, all(goldenEvents())); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes())
	f.Add([]byte(headerLine + `{"at":"2026-03-02T08:15:00.1234567+14:00","attempts":-1,"cost":{"amount":"1e-9","currency":"usd"},"id":"x","outcome":"refused","tool":"t"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		again(t, ReadJSONL(bytes.NewReader(text), Options{Now: morning.Add(time.Hour)}))
	})
}

// again holds what every reader owes of any input: events that are checked, which both formats carry, and errors that are typed.
func again(t *testing.T, events iter.Seq2[learn.Event, error]) {
	var got []learn.Event
	for e, err := range events {
		var record *RecordError
		if err != nil {
			if !errors.As(err, &record) {
				t.Fatalf("%T: %v", err, err)
			}
			continue
		}
		if checked, err := e.Checked(e.At); err != nil || !cmp.Equal(checked, e) {
			t.Fatalf("%+v is not checked: %v", e, err)
		}
		got = append(got, e)
	}
	for name, format := range map[string]struct {
		write writer
		read  reader
	}{"JSONL": {WriteJSONL, ReadJSONL}, "OTLP": {WriteOTLP, ReadOTLP}} {
		var out bytes.Buffer
		if _, err := format.write(&out, all(got)); err != nil {
			if strings.Contains(err.Error(), "which a span cannot say") {
				continue
			}
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(byID(got), byID(good(t, format.read(&out, Options{})))); diff != "" && !repeated(got) {
			t.Fatalf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// repeated reports that an id comes more than once, so that events cannot be told by it.
func repeated(events []learn.Event) bool { return len(byID(events)) != len(events) }
