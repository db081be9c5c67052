package diff

import (
	"bytes"
	"fmt"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// thousand returns a capture of 1,000 tools of realistic size. In the new one every tenth tool has changed.
func thousand(changed bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"initialize":{"serverInfo":{"name":"big","version":"1.0.0"}},"tools":[`)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		limit := "integer"
		if changed && i%10 == 0 {
			limit = "string"
		}
		fmt.Fprintf(&b, `{"name":"tool_%03d","description":"Reads the records of table %d, newest first, and returns one page of them as objects.","inputSchema":{"type":"object",
"properties":{"query":{"type":"string","description":"What to look for."},"limit":{"type":%q,"minimum":1,"maximum":100,"default":10,"description":"How many records."},
"filter":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}},"since":{"type":"string","format":"date-time"},"state":{"type":"string","enum":["open","closed","all"]}}},
"cursor":{"type":["string","null"],"description":"Where to go on."}},"required":["query","limit"],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object"}},"next":{"type":"string"}},"required":["items"]},"annotations":{"readOnlyHint":true}}`, i, i, limit)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkDiff1000 measures two captures of 1,000 tools from their bytes to the findings. The canonical case is the floor: both texts
// brought into canonical form once, which no digest can do without.
func BenchmarkDiff1000(b *testing.B) {
	old, now := thousand(false), thousand(true)
	b.Run("diff", func(b *testing.B) {
		b.SetBytes(int64(len(old) + len(now)))
		b.ReportAllocs()
		for b.Loop() {
			if n := len(Judge(compared(capture(b, old), capture(b, now)))); n != 101 {
				b.Fatalf("%d findings", n)
			}
		}
	})
	b.Run("compare-and-judge", func(b *testing.B) {
		x, y := capture(b, old), capture(b, now)
		b.ReportAllocs()
		var findings []diag.Finding
		for b.Loop() {
			findings = Judge(compared(x, y))
		}
		if len(findings) != 101 {
			b.Fatalf("%d findings", len(findings))
		}
	})
	b.Run("canonical", func(b *testing.B) {
		b.SetBytes(int64(len(old) + len(now)))
		b.ReportAllocs()
		for b.Loop() {
			canon.MustCanonical(old)
			canon.MustCanonical(now)
		}
	})
}
