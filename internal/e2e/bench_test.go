package e2e

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"anvil/compiler/adopt/probe"
)

// BenchmarkInspect measures `anvil mcp inspect` on a live server against a floor: a raw JSON-RPC script that starts the same server, announces
// the same client, asks for the same lists and waits for the same end. Both take turns, so that what else the machine does hits both. The
// ratio is the median over the pairs, of which there are at least fewestPairs whatever -benchtime says.
func BenchmarkInspect(b *testing.B) {
	npm(b)
	everything, memory := realServers[0], realServers[2]
	resources := []string{"tools/list", "resources/list", "resources/templates/list"}
	b.Run("memory", func(b *testing.B) { compareInspect(b, memory, probe.Full, resources, false) })
	b.Run("everything-bare", func(b *testing.B) {
		compareInspect(b, everything, probe.Bare, append(resources, "prompts/list"), false)
	})
	// To a client with roots this server stays for a minute after its stdin is closed, so the floor stops it at once.
	b.Run("everything-full", func(b *testing.B) {
		compareInspect(b, everything, probe.Full, append(resources, "prompts/list"), true)
	})
}

const fewestPairs = 7

func compareInspect(b *testing.B, s realServer, announce probe.Announcement, lists []string, stop bool) {
	w := newWorld(b, plainAnvil)
	s.reset(w)
	w.configure(map[string]entry{s.name: s.entry(w)})
	end := "wait"
	if stop {
		end = "stop"
	}
	floor := append([]string{"list", string(announce.Capabilities), strings.Join(lists, ","), end, "--"}, s.command(w)...)
	inspect := func() time.Duration {
		return timed(b, w.command(b.Context(), w.env(), "mcp", "inspect", s.name, "--as", announce.Name, "--format", "json"))
	}
	script := func() time.Duration {
		cmd := exec.Command(os.Args[0], floor...)
		cmd.Dir, cmd.Env = w.dir, w.env(append(environment(s.entry(w).Env), floorVariable+"=list")...)
		return timed(b, cmd)
	}
	inspect()
	script() // both once before it counts: what is on disk gets into memory
	var ours, theirs, ratios []float64
	pair := func() {
		x := inspect()
		y := script()
		ours, theirs, ratios = append(ours, x.Seconds()), append(theirs, y.Seconds()), append(ratios, x.Seconds()/y.Seconds())
	}
	for b.Loop() {
		pair()
	}
	for len(ratios) < fewestPairs {
		pair()
	}
	b.ReportMetric(0, "ns/op") // of a pair: it says nothing
	b.ReportMetric(median(ours)*1000, "anvil-ms")
	b.ReportMetric(median(theirs)*1000, "floor-ms")
	b.ReportMetric(median(ratios), "ratio")
}

// environment spells variables as a process gets them.
func environment(variables map[string]string) (env []string) {
	for name, value := range variables {
		env = append(env, name+"="+value)
	}
	return env
}

// timed runs cmd and returns how long it took from start to end.
func timed(b *testing.B, cmd *exec.Cmd) time.Duration {
	b.Helper()
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return time.Since(start)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// besidePeer times what runs under each name, in turns, and reports the medians and how many times as long as "anvil" the peer takes.
func besidePeer(b *testing.B, peer string, run map[string]func() time.Duration) {
	took := map[string][]float64{}
	turn := func() {
		for name, once := range run {
			took[name] = append(took[name], once().Seconds())
		}
	}
	turn()
	clear(took) // what is on disk is in memory now
	for b.Loop() {
		turn()
	}
	for len(took["anvil"]) < fewestPairs {
		turn()
	}
	var ratios []float64
	for i, x := range took[peer] {
		ratios = append(ratios, x/took["anvil"][i])
	}
	b.ReportMetric(0, "ns/op") // of a turn: it says nothing
	for name, seconds := range took {
		b.ReportMetric(median(seconds)*1000, name+"-ms")
	}
	b.ReportMetric(median(ratios), peer+"/anvil")
}
