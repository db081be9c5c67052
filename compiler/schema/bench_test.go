package schema

import (
	"testing"

	"anvil/compiler/canon"
)

// BenchmarkAnalyse reads one usual schema of a tool; BenchmarkParse is what reading its text costs.
func BenchmarkAnalyse(b *testing.B) {
	n, err := canon.Parse([]byte(usual))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Analyse(n)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := canon.Parse([]byte(usual)); err != nil {
			b.Fatal(err)
		}
	}
}

const usual = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"required":["owner","repo"],"properties":{
"owner":{"type":"string","description":"Repository owner"},"repo":{"type":"string","description":"Repository name"},
"state":{"type":"string","enum":["open","closed","all"],"description":"Filter by state"},"labels":{"type":"array","items":{"type":"string"}},
"limit":{"type":"number","minimum":1,"maximum":100,"default":30},"filter":{"type":"object","properties":{"since":{"type":"string","format":"date-time"},
"mine":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}}}`
