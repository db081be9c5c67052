package facade

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkLatency reports the time that a call takes, in the middle and at its longest but for one of a hundred: to the server itself and through each
// gateway, in one run and turn about.
func BenchmarkLatency(b *testing.B) {
	benchLatency(b, []string{"direct", "raw", "facade", "typed"}, []string{"ANVIL_BENCH_REPLY=900"}, benchCall)
}

// BenchmarkEverything is BenchmarkLatency with a server as people run them: server-everything from npm, on stdio.
func BenchmarkEverything(b *testing.B) {
	dir := os.Getenv("ANVIL_NPM")
	if dir == "" {
		b.Skip("ANVIL_NPM is not set: `make bench` installs the server and sets it")
	}
	script, err := filepath.Abs(filepath.Join(dir, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"))
	if err != nil {
		b.Fatal(err)
	}
	benchLatency(b, []string{"direct", "facade"}, []string{"ANVIL_BENCH_SERVER=node\n" + script + "\nstdio"},
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":2,"b":3}}}`)
}

func benchLatency(b *testing.B, names, env []string, call string) {
	var gateways []*benchGateway
	for _, name := range names {
		g := startGateway(b, name, env...)
		defer g.stop()
		g.call = call
		g.calls(benchTurn*4, 1) // warm
		gateways = append(gateways, g)
	}
	took := make([][]time.Duration, len(gateways))
	b.ResetTimer()
	for done := 0; done < b.N; done += benchTurn {
		for i, g := range gateways {
			for range min(benchTurn, b.N-done) {
				begun := time.Now()
				g.calls(1, 1)
				took[i] = append(took[i], time.Since(begun))
			}
		}
	}
	b.StopTimer()
	for i, name := range names {
		slices.Sort(took[i])
		for _, at := range []int{50, 99} {
			here, direct := took[i][len(took[i])*at/100], took[0][len(took[0])*at/100]
			b.ReportMetric(float64(here.Microseconds()), fmt.Sprintf("%s-p%d-us", name, at))
			if i > 0 {
				b.ReportMetric(float64(here)/float64(direct), fmt.Sprintf("%s/direct-p%d", name, at))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkThroughput reports how many calls a second each gateway passes on with 64 of them in flight.
func BenchmarkThroughput(b *testing.B) {
	names := []string{"raw", "plain", "facade", "typed"}
	var gateways []*benchGateway
	for _, name := range names {
		g := startGateway(b, name, "ANVIL_BENCH_REPLY=900")
		defer g.stop()
		g.calls(benchTurn*16, 64) // warm
		gateways = append(gateways, g)
	}
	const turn = 1024
	took := make([]time.Duration, len(gateways))
	b.ResetTimer()
	for done := 0; done < b.N; done += turn {
		for i, g := range gateways {
			begun := time.Now()
			g.calls(min(turn, b.N-done), 64)
			took[i] += time.Since(begun)
		}
	}
	b.StopTimer()
	for i, name := range names {
		b.ReportMetric(float64(b.N)/took[i].Seconds(), name+"-calls/s")
		if i > 0 {
			b.ReportMetric(took[0].Seconds()/took[i].Seconds(), name+"/raw")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// isReply reports whether a line is one, of the peers that are measured.
func isReply(line []byte) bool { return !bytes.Contains(line, []byte(`"method":"`)) }
