package tokens

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// Estimator counts the tokens of a text. Models differ in how they cut text up, so a count is exact for the models of the named
// vocabulary, and an estimate for all others.
type Estimator interface {
	// Name is the vocabulary's name, to be printed beside every figure.
	Name() string
	// Count returns the number of tokens of text, in any encoding; it never fails.
	Count(text string) int
}

// O200k counts with o200k_base, the vocabulary of OpenAI's models since GPT-4o. The first count loads it, in some 60 ms; [Prepare] does so ahead.
// It is safe for concurrent use.
var O200k Estimator = o200k{}

type o200k struct{}

func (o200k) Name() string { return string(tokenizer.O200kBase) }

func (o200k) Count(text string) int {
	codec, err := loadO200k()
	if err != nil {
		panic("tokens: the vocabulary that is built in does not load: " + err.Error())
	}
	n := 0
	for piece := range pieces(strings.ToValidUTF8(text, "\ufffd")) {
		n += remembered.count(piece, func(piece string) int {
			n, err := codec.Count(piece)
			if err != nil {
				return byLength(len(piece))
			}
			return n
		})
	}
	return n
}

var loadO200k = sync.OnceValues(func() (tokenizer.Codec, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err == nil {
		_, err = codec.Count("a") // what is left to be made is made at the first count
	}
	return codec, err
})

// Prepare loads the vocabulary in the background, for who is about to count and has something to wait for.
func Prepare() { go func() { _, _ = loadO200k() }() }

// bytesPerToken is the usual length of a token of JSON and English.
const bytesPerToken = 4

func byLength(n int) int { return (n + bytesPerToken - 1) / bytesPerToken }

// Budget is how many bytes a [Meter] counts before it goes by length: counting so much takes about a second, and a server chooses the size.
const Budget = 2 << 20

// Meter counts the texts of one surface in bounded time: once [Budget] bytes are counted, the rest goes by length, at the rate of what was
// counted. The zero value is not usable; see [NewMeter]. It is for one goroutine.
type Meter struct {
	estimator      Estimator
	bytes, counted int  // of what was counted, bytes and tokens
	byLength       bool // something was not counted
}

// NewMeter returns a meter that counts with e.
func NewMeter(e Estimator) *Meter { return &Meter{estimator: e} }

// Count returns the tokens of text.
func (m *Meter) Count(text string) int {
	if len(text) <= Budget-m.bytes {
		n := m.estimator.Count(text)
		m.bytes, m.counted = m.bytes+len(text), m.counted+n
		return n
	}
	m.byLength = true
	if m.counted == 0 {
		return byLength(len(text))
	}
	return max(1, int(float64(len(text))*float64(m.counted)/float64(m.bytes)))
}

// Estimator is the name of the vocabulary.
func (m *Meter) Estimator() string { return m.estimator.Name() }

// Partial reports that a part went by length.
func (m *Meter) Partial() bool { return m.byLength }
