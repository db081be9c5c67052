package exchange

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"anvil/learn"
)

// Files with bytes changed, cut out, repeated and put in are read to their end, and what is read of them is whole.
func TestDamagedFiles(t *testing.T) {
	o := Options{Now: morning.Add(time.Hour), Digester: learn.Digester{Key: []byte("key"), Capture: true}}
	for name, read := range map[string]reader{"golden/events.jsonl": ReadJSONL, "golden/events.otlp.jsonl": ReadOTLP, "agent.otlp.json": ReadOTLP, "adaptive.jsonl": ReadAdaptiveEvents} {
		whole, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(4, 4))
		for range 300 {
			again(t, read(bytes.NewReader(damaged(r, whole)), o))
		}
	}
}

func damaged(r *rand.Rand, text []byte) []byte {
	for range 1 + r.IntN(6) {
		p, q := r.IntN(len(text)), r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text = bytes.Clone(text)
			text[p] = byte(r.IntN(256))
		case 1:
			text = bytes.Join([][]byte{text[:p], text[min(len(text)-1, p+r.IntN(30)):]}, nil)
		case 2:
			text = bytes.Join([][]byte{text[:p], text[q:]}, nil)
		case 3:
			text = bytes.Join([][]byte{text[:p], []byte("\n{"), text[p:]}, nil)
		}
	}
	return text
}
