package canon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/gowebpki/jcs"
)

// toolList returns a list result of about size bytes, spelled as servers spell it.
func toolList(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"tools": [`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"Reads the records of table %d — newest first, \u00e9 and \"quotes\".","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"limit":{"type":"integer","minimum":1,"maximum":100.0},"filter":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}},"state":{"enum":["open","closed"]}}}},"required":["query"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"title":"T"}}`, i, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkCanonical measures canonical form, parsing and digesting of a 5 MB tool list. In the same run: gowebpki/jcs, which does RFC 8785, as the
// peer, and json.Compact, which only drops white space, as the floor.
func BenchmarkCanonical(b *testing.B) {
	src := toolList(5 << 20)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("canonical", func() { MustCanonical(src) })
	run("canonical-and-digest", func() { Digest(MustCanonical(src)) })
	run("parse", func() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	})
	run("peer-jcs", func() {
		out, err := jcs.Transform(src)
		if err != nil {
			b.Fatal(err)
		}
		Digest(out)
	})
	run("floor-compact", func() {
		var out bytes.Buffer
		if err := json.Compact(&out, src); err != nil {
			b.Fatal(err)
		}
	})
}
