package e2e

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// manyServers are configured in BenchmarkMany.
const manyServers = 50

// BenchmarkMany inspects a configuration of fifty servers, the pinned ones by turns, and compares the time it takes with the CPU time that anvil
// and all the servers spend, over the cores there are: what nobody could go below.
func BenchmarkMany(b *testing.B) {
	npm(b)
	w := newWorld(b, plainAnvil)
	entries := map[string]entry{}
	for i := range manyServers {
		s := realServers[i%len(realServers)]
		s.reset(w)
		entries[fmt.Sprintf("s%02d-%s", i, s.name)] = s.entry(w)
	}
	w.configure(entries)
	var walls, ratios []float64
	turn := func() {
		cmd := w.command(b.Context(), w.env(), "mcp", "inspect", "--all", "--format", "json")
		wall := timed(b, cmd)
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // of the servers too, which anvil waits for
		walls = append(walls, wall.Seconds())
		ratios = append(ratios, wall.Seconds()/(cpu/time.Duration(min(runtime.NumCPU(), manyServers))).Seconds())
	}
	for b.Loop() {
		turn()
	}
	for len(ratios) < 3 {
		turn()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(walls), "wall-s")
	b.ReportMetric(median(ratios), "wall/(cpu/cores)")
}
