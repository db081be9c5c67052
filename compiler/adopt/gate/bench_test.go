package gate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
	"anvil/internal/corpus"
)

// everyClient names all clients of the profiles.
func everyClient() []string {
	var ids []string
	for _, p := range profiles.All().Clients {
		ids = append(ids, p.ID)
	}
	return ids
}

// thousandTools repeats the tools of a surface, each time under another name and with another word in its description, until there are 1,000.
func thousandTools(b *testing.B, s *surface.McpSurfaceSnapshot) []byte {
	b.Helper()
	var tools []string
	for round := 0; len(tools) < 1000; round++ {
		for _, it := range s.Tools() {
			name, text := it.Node.Get("name"), it.Node.Get("description")
			item := strings.Replace(string(it.Node.Raw), string(name.Raw), string(canon.Quote(fmt.Sprintf("%s_%d", it.Name, round))), 1)
			item = strings.Replace(item, string(text.Raw), string(canon.Quote(fmt.Sprintf("%s Of shop %d.", text.Text(), round))), 1)
			tools = append(tools, item)
		}
	}
	return []byte(`{"initialize":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}},"tools":[` + strings.Join(tools[:1000], ",") + `]}`)
}

// BenchmarkCheck1000 judges 1,000 tools on the axes of all clients: of our own example, and of a captured server with large schemas. It gives two
// ratios: to reading them as a snapshot, which is how the gate meets a surface (parsed, every digest recomputed), and to parsing their bare JSON.
func BenchmarkCheck1000(b *testing.B) {
	refunds, err := surface.ReadFile("../../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("refunds", func(b *testing.B) { benchmarkCheck(b, thousandTools(b, refunds)) })
	b.Run("captured", func(b *testing.B) {
		c, _ := corpus.Read(b, "postman")
		s, err := surface.New(c)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkCheck(b, thousandTools(b, s))
	})
}

func benchmarkCheck(b *testing.B, document []byte) {
	node, err := canon.Parse(document)
	if err != nil {
		b.Fatal(err)
	}
	s, clients := snapshotOf(b, node), everyClient()
	tokens.O200k.Count("a") // its table is read once in a program
	encoded, err := s.Encode()
	if err != nil {
		b.Fatal(err)
	}
	reading := fastest(b, func() error { _, err := surface.Decode(encoded); return err })
	parsing := fastest(b, func() error { _, err := canon.Parse(document); return err })
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		Check(s, Options{Clients: clients})
	}
	once := float64(b.Elapsed()) / float64(b.N)
	b.ReportMetric(once/float64(reading), "x-reading")
	b.ReportMetric(once/float64(parsing), "x-parsing")
}

// fastest is the least time of five runs.
func fastest(b *testing.B, run func() error) time.Duration {
	b.Helper()
	least := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		least = min(least, time.Since(start))
	}
	return least
}
