package learn

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestBadEventsAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Event){
		"it has no id":                       func(e *Event) { e.ID = "" },
		"it names no tool":                   func(e *Event) { e.Tool.Name = "" },
		"is no outcome":                      func(e *Event) { e.Outcome = "meh" },
		"it does not say when the call":      func(e *Event) { e.At = time.Time{} },
		"it lies in the future: 2026-03-02T": func(e *Event) { e.At = morning.Add(maxAhead + time.Second) },
	} {
		e := event(0, change)
		_, err := e.Checked(morning)
		var bad *BadEventError
		if !errors.As(err, &bad) || !strings.Contains(bad.Problem, want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := event(0, func(e *Event) { e.At = morning.Add(maxAhead) }).Checked(morning); err != nil {
		t.Errorf("clocks differ: %v", err)
	}
}

func TestWhatCanBeMendedIs(t *testing.T) {
	e, err := event(0, func(e *Event) {
		e.At = time.Date(2026, 3, 2, 10, 15, 0, 1234, time.FixedZone("", 7200))
		e.Duration, e.Attempts, e.Tokens, e.Cost = -3, -1, &Tokens{-1, 5}, &Money{-5, "USD"}
		e.Outcome, e.Code, e.Input.Bytes = Failed, "connection refused by 10.0.0.1", -7
	}).Checked(morning)
	if err != nil {
		t.Fatal(err)
	}
	if e.At.Location() != time.UTC || e.At.Nanosecond() != 1000 || HourOf(e.At) != "hour:2026-03-02T08" {
		t.Errorf("at %v", e.At)
	}
	if e.Timed() || e.Attempts != 1 || e.Tokens != nil || e.Cost != nil || e.Code != UnknownCode || e.Input != Unmeasured {
		t.Errorf("%+v", e)
	}
	if again, err := e.Checked(morning); err != nil || again != e {
		t.Errorf("checking twice: %+v, %v", again, err)
	}
}

// planted are credentials as they are issued; none is real.
var planted = []string{
	"ghp_" + strings.Repeat("a1B2", 9), "AKIA" + "IOSFODNN7EXAMPLQ", "xoxb-" + "483920175634-7392018465721-" + strings.Repeat("aB3d", 6),
	"sk-ant-api03-" + strings.Repeat("Ab1_", 23) + "AA",
}

// Assertion 55, as far as events go; learn/sqlstore looks through the files.
func TestCredentialsAreNotKept(t *testing.T) {
	for _, secret := range planted {
		e, err := event(0, func(e *Event) {
			e.Tool = Tool{"srv-" + secret, "tool_" + secret, secret}
			e.ID, e.Session, e.Workflow, e.Parent, e.Client, e.Model, e.Decoding, e.Resolver = secret, secret, secret, secret, secret, secret, secret, secret
			e.Outcome, e.Code = Failed, secret
		}).Checked(morning)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, secret) {
			t.Errorf("kept: %s", text)
		}
		arguments := fmt.Sprintf(`{"token":%q,"nested":{%q:1},"url":"https://user:%s@example.test/"}`, secret, secret, secret)
		for _, capture := range []bool{false, true} {
			p := Digester{Key: []byte("key"), Capture: capture}.Payload([]byte(arguments))
			if text := fmt.Sprintf("%+v", p); strings.Contains(text, secret) {
				t.Errorf("capture %v: kept: %s", capture, text)
			}
			if (p.Text != "") != capture || p.Bytes != int64(len(arguments)) {
				t.Errorf("capture %v: %+v", capture, p)
			}
		}
		_, err = event(0, func(e *Event) { e.ID, e.Outcome = secret, Outcome(secret) }).Checked(morning)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("the error says %v", err)
		}
	}
}

func TestDigestsAreTheStoresOwn(t *testing.T) {
	a, b := Digester{Key: []byte("one")}, Digester{Key: []byte("two")}
	text, same, other := []byte(`{"a":1,"b":2}`), []byte(`{ "b": 2, "a": 1.0 }`), []byte(`{"a":1,"b":3}`)
	if a.Payload(text).Digest != a.Payload(same).Digest || a.Payload(text).Digest == a.Payload(other).Digest || a.Payload(text).Digest == b.Payload(text).Digest {
		t.Error("equal payloads have other digests, or others equal ones")
	}
	if a.Payload(nil) != Unmeasured {
		t.Error("nothing has a size")
	}
}

func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1,"a":"x"}`:               `{"a":string,"b":number}`,
		`[1,2,"x",null,true]`:           `[boolean|null|number|string]`,
		`{"a":{"b":{"c":{"d":{}}}}}`:    `{"a":{"b":{"c":{"d":...}}}}`,
		`[[[[[1]]]]]`:                   `[[[[...]]]]`,
		`[{"x":1},{"x":2},{"y":[]}]`:    `[{"x":number}|{"y":[]}]`,
		`"secret"`:                      `string`,
		`{"a":1`:                        ``,
		`{"\u0000":1,"a\nb":[],"ü":{}}`: `{"\u0000":number,"a\nb":[],"ü":{}}`,
	} {
		if got := Shape([]byte(text)); got != want {
			t.Errorf("%s has the shape %s, want %s", text, got, want)
		}
	}
	var wide strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wide, `,"member_%04d":{"a":[{"b":1}]}`, i)
	}
	if got := Shape([]byte("{" + wide.String()[1:] + "}")); len(got) > maxShape+3 || !strings.HasSuffix(got, "...}") && !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func FuzzShape(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := Shape(text); len(got) > maxShape+3 {
			t.Errorf("%d bytes", len(got))
		}
		Digester{Key: []byte("k"), Capture: true}.Payload(text)
	})
}
