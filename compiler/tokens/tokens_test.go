package tokens

import (
	"strings"
	"testing"
	"time"
)

func TestO200k(t *testing.T) {
	for text, want := range map[string]int{
		"":                      0,
		"hello world":           2,
		"<|endoftext|>":         7, // plain text: no special token is taken from a server's words
		`{"type":"object"}`:     5,
		"\xff\xfe":              1,
		strings.Repeat(" ", 64): 1,
	} {
		if got := O200k.Count(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

func TestMeterGoesByLengthBeyondItsBudget(t *testing.T) {
	m := NewMeter(perByte{})
	if got := m.Count(strings.Repeat("x", Budget)); got != 2*Budget || m.Estimator() != "two a byte" {
		t.Errorf("within the budget: %d tokens by %q", got, m.Estimator())
	}
	if got := m.Count("0123456789"); got != 20 || m.Estimator() != "two a byte, by length beyond the first 2 MiB" {
		t.Errorf("beyond the budget: %d tokens by %q", got, m.Estimator())
	}
	m = NewMeter(perByte{})
	if got, want := m.Count(strings.Repeat("x", Budget+1)), Budget/4+1; got != want {
		t.Errorf("a first text beyond the budget: %d tokens, want %d", got, want)
	}
}

// A server chooses the text, so none may take long: each is a kind that could be slow for a tokenizer.
func TestHostileTextIsBounded(t *testing.T) {
	for name, unit := range map[string]string{
		"one letter": "a", "one word": "abcdefghij", "blanks": " ", "lines": "\n", "signs": "=-", "no UTF-8": "\xff", "joined emoji": "👩‍👩‍👧",
	} {
		start := time.Now()
		if n := O200k.Count(strings.Repeat(unit, Budget/8/len(unit))); n == 0 {
			t.Errorf("%s: no tokens", name)
		}
		if took := time.Since(start); took > 20*time.Second { // a tenth of a second each
			t.Errorf("%s: took %s", name, took)
		}
	}
}

type perByte struct{}

func (perByte) Name() string          { return "two a byte" }
func (perByte) Count(text string) int { return 2 * len(text) }
