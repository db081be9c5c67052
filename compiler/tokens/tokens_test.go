package tokens

import (
	"math/rand/v2"
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

// FuzzPieces: the tokens of the pieces are the tokens of the text, as the library counts it whole.
func FuzzPieces(f *testing.F) {
	for _, text := range []string{
		"", "it's 's don'T x'll", `{"type":"object","a1":[1,23456,-7e5]}`, "a \n b\r\n\t c  d", "naïve café 東京1a", "a\u0301b\u0301.c", "Is it?//\n/x", "HTTPServer camelCase x_y-z", "\u00a0a\u00a0 b\u2003c", "<|endoftext|>",
	} {
		f.Add(text)
	}
	codec, err := loadO200k()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		whole, err := codec.Count(text)
		if err != nil {
			t.Fatal(err) // it counts whatever is UTF-8
		}
		if got := O200k.Count(text); got != whole {
			t.Errorf("%q: %d tokens in pieces, %d whole", text, got, whole)
		}
		if again := O200k.Count(text); again != whole {
			t.Errorf("%q: %d tokens remembered, %d whole", text, again, whole)
		}
	})
}

// TestPiecesOfRandomText is FuzzPieces over signs that meet in surfaces, seeded.
func TestPiecesOfRandomText(t *testing.T) {
	codec, err := loadO200k()
	if err != nil {
		t.Fatal(err)
	}
	signs := []string{"a", "Z", "the", "THE", "'", "'s", "'LL", "’s", "1", "234", " ", "  ", "\t", "\n", "\r\n", "\"", "{", ":", "/", "//", "-", "_", ".", "\\", "é", "e\u0301", "\u00a0", "\u2028", "東", "ǅ", "ʰ", "٣", "🙂", "\x00", "\x7f"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(signs[random.IntN(len(signs))])
		}
		whole, err := codec.Count(b.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := O200k.Count(b.String()); got != whole {
			t.Fatalf("%q: %d tokens in pieces, %d whole", b.String(), got, whole)
		}
	}
}
