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

// BenchmarkCheck1000 judges 1,000 tools on the axes of all clients: of our own example, and of a captured server with large schemas. The ratio is to
// parsing the same bytes.
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
	parsing := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		if _, err := surface.Decode(encoded); err != nil {
			b.Fatal(err)
		}
		parsing = min(parsing, time.Since(start))
	}
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		Check(s, Options{Clients: clients})
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(parsing), "ratio")
}
