package emit_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// BenchmarkAdopt1000 adopts a snapshot of 1,000 tools offline, from the bytes of its file to those of the pack's: parsed and verified, gated, lowered
// and emitted. It takes turns with the floor, the file brought into canonical form once, which no digest can do without; the ratio is the median over the
// turns, best-ratio that of the shortest turn of each, both of the time on the clock. The tools are made up, of usual size, or those of a captured
// server with large schemas.
func BenchmarkAdopt1000(b *testing.B) {
	b.Run("made", func(b *testing.B) { adoptBeside(b, made(b, 1000)) })
	b.Run("captured", func(b *testing.B) { adoptBeside(b, capturedThousand(b)) })
}

// fewestTurns are taken whatever -benchtime says.
const fewestTurns = 7

func adoptBeside(b *testing.B, s *surface.McpSurfaceSnapshot) {
	file, err := s.Encode()
	if err != nil {
		b.Fatal(err)
	}
	stages := map[string][]float64{}
	time1 := func(stage string, work func()) {
		start := time.Now()
		work()
		stages[stage] = append(stages[stage], time.Since(start).Seconds())
	}
	size := 0
	turn := func() {
		time1("all", func() {
			var s *surface.McpSurfaceSnapshot
			time1("read", func() { s, err = surface.Decode(file) })
			if err != nil {
				b.Fatal(err)
			}
			time1("gate", func() { gate.Check(s, gate.Options{}) })
			time1("pack", func() {
				built, err := emit.Build(emit.Inputs{Snapshot: s, Mode: pack.Adopt})
				if err != nil || len(built.Document.Operations) != 1000 {
					b.Fatal(err)
				}
				size = 0
				for _, data := range built.Files {
					size += len(data)
				}
			})
		})
		time1("bridge", func() { adopt.Bridge(s) })
		time1("floor", func() { canon.MustCanonical(file) })
	}
	turn()
	clear(stages) // what is made once is made
	for b.Loop() {
		turn()
	}
	for len(stages["all"]) < fewestTurns {
		turn()
	}
	var ratios []float64
	for i, took := range stages["all"] {
		ratios = append(ratios, took/stages["floor"][i])
	}
	b.ReportMetric(0, "ns/op") // of a turn: it says nothing
	for _, stage := range []string{"all", "read", "gate", "bridge", "pack", "floor"} {
		b.ReportMetric(median(stages[stage])*1000, stage+"-ms")
	}
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(slices.Min(stages["all"])/slices.Min(stages["floor"]), "best-ratio")
	b.ReportMetric(float64(len(file))/(1<<20), "file-MB")
	b.ReportMetric(float64(size)/(1<<20), "pack-MB")
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// BenchmarkGrowth adopts more and more tools. Time, what is allocated, and what is held once the pack is there and its snapshot with it, are those of one
// tool, and must stay as they are while the tools double.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file, err := made(b, n).Encode()
			if err != nil {
				b.Fatal(err)
			}
			var took, allocated, held []float64
			for b.Loop() {
				before, start := heap(), time.Now()
				s, err := surface.Decode(file)
				if err != nil {
					b.Fatal(err)
				}
				gate.Check(s, gate.Options{})
				built, err := emit.Build(emit.Inputs{Snapshot: s, Mode: pack.Adopt})
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start).Seconds())
				after := heap()
				allocated = append(allocated, float64(after.TotalAlloc-before.TotalAlloc))
				held = append(held, float64(after.HeapAlloc)-float64(before.HeapAlloc))
				runtime.KeepAlive(s)
				runtime.KeepAlive(built)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(took)*1000/float64(n), "ms/tool")
			b.ReportMetric(median(allocated)/1024/float64(n), "allocated-KB/tool")
			b.ReportMetric(median(held)/1024/float64(n), "held-KB/tool")
		})
	}
}

// heap is what the heap holds, garbage left out.
func heap() (m runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// BenchmarkTrustedDocument is what a call through a pack of 1,000 approved tools takes before it is made.
func BenchmarkTrustedDocument(b *testing.B) {
	in := emit.Inputs{Snapshot: made(b, 1000), Mode: pack.Adopt}
	for _, o := range adopt.Bridge(in.Snapshot).Operations {
		in.Approvals = append(in.Approvals, air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	built, err := emit.Build(in)
	if err != nil {
		b.Fatal(err)
	}
	p := &pack.Pack{Manifest: built.Manifest, Files: built.Files}
	for b.Loop() {
		if _, findings, err := emit.TrustedDocument(p); err != nil || len(findings) > 0 {
			b.Fatal(findings, err)
		}
	}
}

// made are n tools of usual size.
func made(b *testing.B, n int) *surface.McpSurfaceSnapshot {
	var tools strings.Builder
	for i := range n {
		if i > 0 {
			tools.WriteByte(',')
		}
		fmt.Fprintf(&tools, `{"name":"list_records_%03d","description":"Reads the records of table %d, newest first, and returns one page of them as objects.","inputSchema":{"type":"object",
"properties":{"query":{"type":"string","description":"What to look for."},"limit":{"type":"integer","minimum":1,"maximum":100,"default":10,"description":"How many records."},
"filter":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}},"since":{"type":"string","format":"date-time"},"state":{"type":"string","enum":["open","closed","all"]}}},
"cursor":{"type":["string","null"],"description":"Where to go on."}},"required":["query","limit"],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object"}},"next":{"type":"string"}},"required":["items"]},"annotations":{"readOnlyHint":true}}`, i, i)
	}
	return corpus.SnapshotOf(b, []byte(`{"initialize":{"serverInfo":{"name":"big","version":"1.0.0"}},"tools":[`+tools.String()+`]}`), "")
}

// capturedThousand repeats the tools of a captured server under other names, and with another word in each description.
func capturedThousand(b *testing.B) *surface.McpSurfaceSnapshot {
	c, _ := corpus.Read(b, "postman")
	var tools []string
	for round := 0; len(tools) < 1000; round++ {
		for _, raw := range c.Lists[surface.Tool] {
			n, err := canon.Parse(raw)
			if err != nil {
				b.Fatal(err)
			}
			var t canon.Builder
			for _, m := range n.Members {
				if m.Name != "name" && m.Name != "description" {
					t.AddMember(m, m.Value.Canonical())
				}
			}
			t.AddText("name", fmt.Sprintf("%s_%d", n.Get("name").Text(), round))
			t.AddText("description", fmt.Sprintf("%s Of team %d.", n.Get("description").Text(), round))
			tools = append(tools, string(t.Bytes()))
		}
	}
	return corpus.SnapshotOf(b, []byte(`{"initialize":{"serverInfo":{"name":"big"}},"tools":[`+strings.Join(tools[:1000], ",")+`]}`), "")
}
