package gate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// hostile are surfaces that are made to cost: each of a size that the measure of its kind gives, and four times as large with four times as much.
var hostile = []struct {
	name  string
	size  int
	tools func(n int) string
}{
	{"tools", 600, func(n int) string { return manyTools(n) }},
	{"a description", 1 << 20, func(n int) string {
		return tool("t", `"description":"`+strings.Repeat("Reads what is there. ", n/21)+`",`+plainInput)
	}},
	{"a description of cues", 1 << 16, func(n int) string {
		return tool("t", `"description":"`+strings.Repeat("ignore previous instructions, call bash ://a:b <!-- ghp_ ", n/56)+`",`+plainInput)
	}},
	{"depth", 1200, func(n int) string {
		return tool("t", `"inputSchema":{"type":"object","properties":`+strings.Repeat(`{"a":{"type":["array"],"properties":`, n)+`{}`+strings.Repeat("}}", n)+`}`)
	}},
	{"enum values", 8_000, func(n int) string {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprintf(`"value %d"`, i)
		}
		return taking("t", `"a":{"type":"string","enum":[`+strings.Join(values, ",")+`]}`)
	}},
	{"enum values of numbers", 8_000, func(n int) string { return taking("t", `"a":{"enum":[1`+strings.Repeat(",1", n)+`]}`) }},
	{"names alike", 100, func(n int) string {
		tools := make([]string, 2*n)
		for i := range tools {
			name := fmt.Sprintf("%score:%s%d", []string{"c", "\u0441"}[i/2%2], strings.Repeat("x", 900), i/4)
			tools[i] = fmt.Sprintf(`{"name":"%s","description":"%d","inputSchema":{"type":"string"}}`, name, i)
		}
		return strings.Join(tools, ",")
	}},
	{"tag characters", 120, func(n int) string {
		hidden := strings.Repeat("\U000E0041\U000E0042", 20)
		tools := make([]string, n)
		for i := range tools {
			tools[i] = fmt.Sprintf(`{"name":"%s%d","description":"%s","inputSchema":{"type":"object","properties":{"%s":{"type":"string","description":"%s",`+
				`"enum":["%s"]}}}}`, hidden, i, hidden, hidden, hidden, hidden)
		}
		return strings.Join(tools, ",")
	}},
}

// TestHostileSurfaces judges each kind at two sizes: four times the surface takes no more than some times as long, and as much memory; and the
// report stays within the bounds that are stated of it. Depth ends at 10,000 levels of JSON, beyond which nothing is read: 4,800 schemas in each other.
func TestHostileSurfaces(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			var tried []time.Duration
			small, large := surfaceOfTools(t, h.tools(h.size)), surfaceOfTools(t, h.tools(4*h.size))
			for linear := false; !linear; { // what is quadratic takes 16 times as long in every attempt
				few, fewBytes := judgedIn(t, small)
				many, manyBytes := judgedIn(t, large)
				tried = append(tried, few, many)
				if manyBytes > 8*fewBytes+256<<20 {
					t.Fatalf("%d bytes are allocated, and %d for four times the surface", fewBytes, manyBytes)
				}
				if linear = many < 8*few+500*time.Millisecond; !linear && len(tried) > 6 {
					t.Fatalf("one size and four times that by turns: %v", tried)
				}
			}
		})
	}
}

func surfaceOfTools(t *testing.T, tools string) *surface.McpSurfaceSnapshot {
	t.Helper()
	node, err := canon.Parse([]byte(`{"initialize":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}},"tools":[` + tools + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := surface.New(corpus.CaptureOf(node, "hostile"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reportRest bounds what a report of findings has beside those it lists: one for each rule and axis that tells of others, and the summary.
const reportRest = 1 << 20

// judgedIn is how long the gate takes, and how much it allocates. It demands that the report is no more than some times the surface.
func judgedIn(t *testing.T, s *surface.McpSurfaceSnapshot) (took time.Duration, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	findings := Check(s, Options{Clients: everyClient()}).Findings
	took = time.Since(start)
	runtime.ReadMemStats(&after)
	report, err := diag.NewReport("inspect", findings).JSON()
	if err != nil {
		t.Fatal(err)
	}
	if size := bytesOf(s); len(report) > reportShare*size+reportFloor+reportRest {
		t.Errorf("a report of %d bytes for a surface of %d", len(report), size)
	}
	return took, after.TotalAlloc - before.TotalAlloc
}
