package advise

import (
	"cmp"
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// The profiles of decoding: what a caller wants of a model, whatever runs it.
const (
	Deterministic = "deterministic"
	Balanced      = "balanced"
	Creative      = "creative"
)

// ResolverVersion is of the table of settings; it is published with them.
const ResolverVersion = "1.0.0"

// Settings are the settings of a decoding, as decimal numbers. An empty one says nothing.
type Settings struct {
	Temperature, TopP, TopK, MinP, PresencePenalty, RepetitionPenalty, FrequencyPenalty string
}

// resolved is the table of version 1.0.0 (reference/learn.md 2.12).
var resolved = map[string]Settings{
	Deterministic: {Temperature: "0.2", TopP: "0.5", TopK: "20", MinP: "0.1", RepetitionPenalty: "1.1"},
	Balanced:      {Temperature: "0.5", TopP: "0.9", TopK: "40", MinP: "0.05", RepetitionPenalty: "1.05"},
	Creative:      {Temperature: "0.9", TopP: "0.95", TopK: "80", MinP: "0.02", RepetitionPenalty: "1"},
}

// Capabilities are the settings that a backend takes.
type Capabilities struct {
	Temperature, TopP, TopK, MinP, PresencePenalty, RepetitionPenalty, FrequencyPenalty bool
}

// The backends.
var (
	OpenAI   = Capabilities{Temperature: true, TopP: true, PresencePenalty: true, FrequencyPenalty: true}
	LlamaCpp = Capabilities{Temperature: true, TopK: true, MinP: true, RepetitionPenalty: true}
	VLLM     = Capabilities{Temperature: true, TopP: true, RepetitionPenalty: true}
)

// Resolve returns the settings of a profile that a backend takes. Those that it does not take are left out and never replaced by others. It is false for a profile
// that is none.
func Resolve(profile string, c Capabilities) (Settings, bool) {
	s, known := resolved[profile]
	for _, knob := range []struct {
		takes bool
		value *string
	}{{c.Temperature, &s.Temperature}, {c.TopP, &s.TopP}, {c.TopK, &s.TopK}, {c.MinP, &s.MinP}, {c.PresencePenalty, &s.PresencePenalty},
		{c.RepetitionPenalty, &s.RepetitionPenalty}, {c.FrequencyPenalty, &s.FrequencyPenalty}} {
		if !knob.takes {
			*knob.value = ""
		}
	}
	return s, known
}

// JSON is the settings as a canonical object.
func (s Settings) JSON() canon.Raw {
	values := map[string]canon.Raw{}
	for name, value := range map[string]string{"temperature": s.Temperature, "topP": s.TopP, "topK": s.TopK, "minP": s.MinP, "presencePenalty": s.PresencePenalty,
		"repetitionPenalty": s.RepetitionPenalty, "frequencyPenalty": s.FrequencyPenalty} {
		if value != "" {
			values[name] = canon.Raw(value)
		}
	}
	return canon.ValueOf(values)
}

// From which failure rates on decoding is tightened.
const (
	tightenAll      = 0.2 // whatever the caller wants
	tightenCreative = 0.1 // creative alone
)

// Decoding recommends a profile, from ten invocations on: deterministic where a fifth of the calls fails, balanced instead of creative where a tenth does, else what
// the caller wants. An intent that is no profile is balanced.
func Decoding(r learn.Record, intent string, c Capabilities) []learn.Recommendation {
	n, recent := overall(r).Invocations, evaluate.RecentFailures(r)
	if n < minInvocations || recent.N < minInvocations {
		return nil
	}
	profile, reasons := intent, []string{told(recent)}
	if _, known := resolved[intent]; !known {
		profile = Balanced
	} else {
		reasons = append(reasons, fmt.Sprintf("callers want it %s", intent))
	}
	switch rate := recent.Rate(); {
	case rate >= tightenAll:
		profile = Deterministic
		reasons = append(reasons, fmt.Sprintf("from %s on it is %s", stat.Percent(tightenAll), profile))
	case rate >= tightenCreative && profile == Creative:
		profile = Balanced
		reasons = append(reasons, fmt.Sprintf("from %s on %s gives way to %s", stat.Percent(tightenCreative), Creative, profile))
	}
	settings, _ := Resolve(profile, c)
	confidence := evaluate.Confidence(n)
	text := reasons[0]
	for _, more := range reasons[1:] {
		text += "; " + more
	}
	return []learn.Recommendation{{Type: learn.RecommendDecoding, Confidence: confidence, Rationale: text,
		Payload: canon.ValueOf(map[string]any{"profile": profile, "resolved": settings.JSON(), "resolverVersion": ResolverVersion, "reasons": reasons,
			"confidence": canon.Raw(fmt.Sprintf("%d.%02d", confidence/100, confidence%100))})}}
}

// Sampling recommends temperature and topP where calls fail: the type that decoding supersedes, for those who still read it.
func Sampling(r learn.Record) []learn.Recommendation {
	n, recent := overall(r).Invocations, evaluate.RecentFailures(r)
	if n < minInvocations || recent.N < minInvocations || recent.Rate() < tightenCreative {
		return nil
	}
	s := Settings{Temperature: "0.4", TopP: "0.7"}
	if recent.Rate() >= tightenAll {
		s = Settings{Temperature: "0.2", TopP: "0.5"}
	}
	return []learn.Recommendation{{Type: learn.RecommendSampling, Payload: s.JSON(), Confidence: evaluate.Confidence(n),
		Rationale: fmt.Sprintf("%s: temperature %s and topP %s", told(recent), s.Temperature, s.TopP)}}
}

// Decoded is how calls went that were made under one decoding.
type Decoded struct {
	Tool        learn.Tool
	Dims        learn.Dimensions // profile, resolver and model
	Invocations int64
	Failures    int64
	Suggested   string // the profile
}

// minDecoded is from how many invocations on a decoding is judged.
const minDecoded = 5

// AnalyzeDecoding compares the decodings under which tools were called, those that fail most first, then those that were used most.
func AnalyzeDecoding(records []learn.Record) []Decoded {
	var rows []Decoded
	for _, r := range records {
		for _, c := range r.Cells {
			if c.Window != learn.All || c.Dims.Decoding == "" || c.Invocations < minDecoded {
				continue
			}
			d := Decoded{r.Tool, c.Dims, c.Invocations, c.Failures, c.Dims.Decoding}
			if c.FailureRate() >= tightenAll {
				d.Suggested = Deterministic
			}
			rows = append(rows, d)
		}
	}
	rate := func(d Decoded) float64 { return float64(d.Failures) / float64(d.Invocations) }
	slices.SortStableFunc(rows, func(a, b Decoded) int {
		return cmp.Or(cmp.Compare(rate(b), rate(a)), cmp.Compare(b.Invocations, a.Invocations), a.Tool.Compare(b.Tool), a.Dims.Compare(b.Dims))
	})
	return rows
}
