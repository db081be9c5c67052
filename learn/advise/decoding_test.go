package advise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/learn"
)

// Assertion 26.
func TestDecodingByFailures(t *testing.T) {
	for _, c := range []struct {
		n, failures int
		intent      string
		want        string
	}{
		{40, 8, Deterministic, Deterministic}, {40, 8, Balanced, Deterministic}, {40, 8, Creative, Deterministic}, {40, 8, "", Deterministic},
		{40, 4, Creative, Balanced}, {40, 4, Balanced, Balanced}, {40, 4, Deterministic, Deterministic}, {40, 3, Creative, Creative}, {40, 3, "", Balanced}, {40, 0, "wild", Balanced},
		{9, 9, Creative, ""},
	} {
		got := ""
		if all := Decoding(of(c.n, c.failures).Record, c.intent, VLLM); len(all) > 0 {
			n, err := canon.Parse(all[0].Payload)
			if err != nil {
				t.Fatal(err)
			}
			got = n.Get("profile").Text()
		}
		if got != c.want {
			t.Errorf("%d of %d, intent %q: %q, want %q", c.failures, c.n, c.intent, got, c.want)
		}
	}
	want := `{"confidence":0.70,"profile":"balanced","reasons":["4 of the latest 40 calls fail (10 %)","callers want it creative","from 10 % on creative gives way to balanced"],` +
		`"resolved":{"minP":0.05,"repetitionPenalty":1.05,"temperature":0.5,"topK":40},"resolverVersion":"1.0.0"}`
	if got := Decoding(of(40, 4).Record, Creative, LlamaCpp); !canon.Equal(got[0].Payload, []byte(want)) || got[0].Rationale == "" {
		t.Errorf("%s\nwant %s", got[0].Payload, want)
	}
}

// Assertion 26: presets.
func TestPresetsLeaveOutWhatBackendsDoNotTake(t *testing.T) {
	for _, c := range []struct {
		backend   Capabilities
		never     []string
		wantOfOne string
	}{
		{LlamaCpp, []string{"topP"}, `{"minP":0.1,"repetitionPenalty":1.1,"temperature":0.2,"topK":20}`},
		{OpenAI, []string{"minP", "topK", "repetitionPenalty"}, `{"temperature":0.2,"topP":0.5}`},
		{VLLM, []string{"minP", "topK"}, `{"repetitionPenalty":1.1,"temperature":0.2,"topP":0.5}`},
		{Capabilities{}, nil, `{}`},
	} {
		for profile := range resolved {
			s, known := Resolve(profile, c.backend)
			for _, knob := range c.never {
				if !known || strings.Contains(string(s.JSON()), knob) {
					t.Errorf("%+v: %s has %s: %s", c.backend, profile, knob, s.JSON())
				}
			}
		}
		if s, _ := Resolve(Deterministic, c.backend); string(s.JSON()) != c.wantOfOne {
			t.Errorf("%s, want %s", s.JSON(), c.wantOfOne)
		}
	}
	if s, known := Resolve("wild", VLLM); known || string(s.JSON()) != "{}" {
		t.Errorf("%s", s.JSON())
	}
}

// Assertion 27.
func TestSamplingByFailures(t *testing.T) {
	for failures, want := range map[int]string{8: `{"temperature":0.2,"topP":0.5}`, 4: `{"temperature":0.4,"topP":0.7}`, 2: ""} {
		if got := only(Sampling(of(40, failures).Record)); got != want {
			t.Errorf("%d of 40: %s, want %s", failures, got, want)
		}
	}
	if got := Sampling(of(9, 9).Record); got != nil {
		t.Errorf("of nine calls: %v", got)
	}
	// Of three clients with four calls each one is left, whose four calls say nothing yet.
	r := observe("rotate_keys")
	for _, client := range []string{"a", "b", "c"} {
		r.calls(4, failed("E1"), func(e *learn.Event) { e.Client = client })
	}
	if got := append(Sampling(r.Record), Decoding(r.Record, "", VLLM)...); got != nil || ask(Gate{}, r.Record) != Allow {
		t.Errorf("of four calls: %v", got)
	}
}

func TestAnalyzeDecoding(t *testing.T) {
	under := func(model, profile string) func(*learn.Event) {
		return func(e *learn.Event) { e.Model, e.Decoding, e.Resolver = model, profile, ResolverVersion }
	}
	r := observe("rotate_keys").calls(4, under("a", Creative), failed("E1")).calls(6, under("a", Creative)).calls(8, under("b", Creative)).calls(9, under("a", Balanced)).
		calls(4, under("c", Creative), failed("E1")).calls(7)
	var got []string
	for _, d := range AnalyzeDecoding([]learn.Record{r.Record}) {
		got = append(got, fmt.Sprintf("%s@%s/%s %d/%d -> %s", d.Dims.Decoding, d.Dims.Model, d.Dims.Resolver, d.Failures, d.Invocations, d.Suggested))
	}
	want := []string{"creative@a/1.0.0 4/10 -> deterministic", "balanced@a/1.0.0 0/9 -> balanced", "creative@b/1.0.0 0/8 -> creative"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
