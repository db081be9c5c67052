package diff

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// BenchmarkDiff1000 measures two snapshot files of 1,000 tools from their bytes to the report: parsed, verified, compared, judged and written as text. It
// takes turns with the floor, both files brought into canonical form once, which no digest can do without; the ratio is the median over the turns, of
// time and of the time of all processors; best-ratio is of the shortest turn of each. The tools are those
// of real servers of which two versions are known, each with what became of it: of all 1,000, and of one in twenty.
func BenchmarkDiff1000(b *testing.B) {
	b.Run("made", func(b *testing.B) { compareWithCanonical(b, file(b, thousand(false)), file(b, thousand(true))) })
	for _, share := range []struct {
		name  string
		every int
	}{{"all-changed", 1}, {"one-in-20-changed", 20}} {
		b.Run(share.name, func(b *testing.B) {
			old, now := drifted(b, 1000, share.every)
			compareWithCanonical(b, old, now)
		})
	}
}

// fewestTurns are taken whatever -benchtime says.
const fewestTurns = 7

// turns are the times of both, in seconds; of the processors too, which what else the machine does changes less.
type turns struct{ ours, floor, ratios, busyRatios []float64 }

func (t *turns) add(ours, floor, oursBusy, floorBusy time.Duration) {
	t.ours, t.floor, t.ratios = append(t.ours, ours.Seconds()), append(t.floor, floor.Seconds()), append(t.ratios, ours.Seconds()/floor.Seconds())
	t.busyRatios = append(t.busyRatios, oursBusy.Seconds()/floorBusy.Seconds())
}

func compareWithCanonical(b *testing.B, old, now []byte) {
	var all turns
	var findings int
	files := []string{filepath.Join(b.TempDir(), "old"), filepath.Join(b.TempDir(), "new")}
	for i, data := range [][]byte{old, now} {
		if err := os.WriteFile(files[i], data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	var allocated uint64
	turn := func() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start, busy := time.Now(), processorTime()
		findings = reported(b, files[0], files[1])
		took, tookBusy := time.Since(start), processorTime()-busy
		runtime.ReadMemStats(&after)
		allocated = after.TotalAlloc - before.TotalAlloc
		start, busy = time.Now(), processorTime()
		canon.MustCanonical(old)
		canon.MustCanonical(now)
		all.add(took, time.Since(start), tookBusy, processorTime()-busy)
	}
	turn()
	all = turns{} // what is made once is made
	for b.Loop() {
		turn()
	}
	for len(all.ratios) < fewestTurns {
		turn()
	}
	b.ReportMetric(0, "ns/op") // of a turn: it says nothing
	b.ReportMetric(median(all.ours)*1000, "diff-ms")
	b.ReportMetric(median(all.floor)*1000, "canonical-ms")
	b.ReportMetric(median(all.ratios), "ratio")
	b.ReportMetric(slices.Min(all.ours)/slices.Min(all.floor), "best-ratio")
	b.ReportMetric(median(all.busyRatios), "cpu-ratio")
	b.ReportMetric(float64(allocated)/(1<<20), "MB")
	b.ReportMetric(float64(findings), "findings")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// reported goes the whole way from two files to the text of the report, and returns how many findings there are.
func reported(b *testing.B, old, now string) int {
	sides, err := surface.ReadFiles(old, now)
	if err != nil {
		b.Fatal(err)
	}
	r := Report(Judge(compared(sides[0], sides[1])))
	if err := r.WriteText(io.Discard); err != nil {
		b.Fatal(err)
	}
	return len(r.Findings)
}

func file(b *testing.B, text []byte) []byte {
	data, err := capture(b, text).Encode()
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// drifted returns the files of two snapshots of n tools. Each tool is one of a real server under a name of its own, and one in every so many is in the
// second file as a later version of the server has it.
func drifted(b *testing.B, n, every int) (old, now []byte) {
	pairs := changedTools(b)
	var first, second bytes.Buffer
	for i := range n {
		was, is := pairs[i%len(pairs)][0], pairs[i%len(pairs)][1]
		if i%every != 0 {
			was = is
		}
		for _, side := range []struct {
			text *bytes.Buffer
			tool *canon.Node
		}{{&first, was}, {&second, is}} {
			if i > 0 {
				side.text.WriteByte(',')
			}
			var t canon.Builder
			for _, m := range side.tool.Members {
				if m.Name != "name" {
					t.AddMember(m, m.Value.Canonical())
				}
			}
			t.AddText("name", fmt.Sprintf("%s_%d", side.tool.Get("name").Text(), i))
			side.text.Write(t.Bytes())
		}
	}
	wrap := func(version string, tools []byte) []byte {
		return file(b, fmt.Appendf(nil, `{"initialize":{"serverInfo":{"name":"big","version":%q}},"tools":[%s]}`, version, tools))
	}
	return wrap("1.0.0", first.Bytes()), wrap("1.1.0", second.Bytes())
}

// changedTools are the tools of which two published versions of a server differ in more than the server.
func changedTools(b *testing.B) (pairs [][2]*canon.Node) {
	for _, p := range corpus.Drift(b) {
		old, now := load(b, p.Old), load(b, p.New)
		for _, a := range old.Tools() {
			if z, ok := now.Find(surface.Tool, a.Name); ok && a.Digest != z.Digest {
				pairs = append(pairs, [2]*canon.Node{a.Node, z.Node})
			}
		}
	}
	return pairs
}

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
