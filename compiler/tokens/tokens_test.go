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
	if got := m.Count(strings.Repeat("x", Budget)); got != 2*Budget || m.Partial() || m.Estimator() != "two a byte" {
		t.Errorf("within the budget: %d tokens by %q", got, m.Estimator())
	}
	if got := m.Count("0123456789"); got != 20 || !m.Partial() {
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
		took := func(size int) time.Duration {
			text, start := strings.Repeat(unit, size/len(unit)), time.Now()
			if n := O200k.Count(text); n == 0 {
				t.Errorf("%s: no tokens", name)
			}
			return time.Since(start)
		}
		small, large := took(Budget/32), took(Budget/4)
		if large > 24*small+time.Second { // eight times the text; a quadratic one would take 64 times as long
			t.Errorf("%s: %s, and %s for eight times as much", name, small, large)
		}
	}
}

type perByte struct{}

func (perByte) Name() string          { return "two a byte" }
func (perByte) Count(text string) int { return 2 * len(text) }
