package facade

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// benchGateways are the peers compared: a forwarder that replaces ids and does nothing else, the facade without anything to decide or to tell, the facade
// under a policy with its audit log and its metrics, and a gateway made of the SDK's typed server and client. Each is a process of its own between the load
// and the same upstream.
var benchGateways = []string{"raw", "plain", "facade", "typed"}

// BenchmarkGateways reports the CPU time per call that each gateway process takes, user and system, all in one run and
// turn about, so that whatever else the machine does hits all of them alike.
func BenchmarkGateways(b *testing.B) {
	for _, size := range []int{900, 64 << 10} {
		for _, inFlight := range []int{1, 16} {
			b.Run(fmt.Sprintf("reply=%dB/inflight=%d", size, inFlight), func(b *testing.B) { benchGatewaysAt(b, size, inFlight) })
		}
	}
}

// benchTurn is how many calls a gateway gets before it is the next one's turn.
const benchTurn = 64

func benchGatewaysAt(b *testing.B, size, inFlight int) {
	var gateways []*benchGateway
	for _, name := range benchGateways {
		g := startGateway(b, name, "ANVIL_BENCH_REPLY="+strconv.Itoa(size))
		defer g.stop()
		g.calls(benchTurn*4, inFlight) // warm
		gateways = append(gateways, g)
	}
	cpu := make([]float64, len(gateways))
	b.ResetTimer()
	for done := 0; done < b.N; done += benchTurn {
		n := min(benchTurn, b.N-done)
		for i, g := range gateways {
			before := g.cpu()
			g.calls(n, inFlight)
			cpu[i] += float64(g.cpu() - before)
		}
	}
	b.StopTimer()
	for i, name := range benchGateways {
		b.ReportMetric(cpu[i]/float64(b.N), name+"-cpu-ns/call")
	}
	b.ReportMetric(cpu[1]/cpu[0], "plain/raw")
	b.ReportMetric(cpu[2]/cpu[0], "facade/raw")
	b.ReportMetric(cpu[3]/cpu[2], "typed/facade")
	b.ReportMetric(0, "ns/op") // the sum over the gateways says nothing
}

// benchGateway is a gateway process and the raw client that loads it.
type benchGateway struct {
	b    *testing.B
	cmd  *exec.Cmd
	in   io.WriteCloser
	w    *bufio.Writer
	r    *bufio.Reader
	ask  *os.File // a byte sent here ...
	told *os.File // ... is answered here with the process's CPU time in nanoseconds
	last int
	call string
}

// startGateway starts a gateway, or the server behind them as "direct", and opens a session.
func startGateway(b *testing.B, name string, env ...string) *benchGateway {
	b.Helper()
	askRead, ask, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	told, toldWrite, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "ANVIL_FACADE_PEER=bench-"+name), env...)
	cmd.ExtraFiles = []*os.File{askRead, toldWrite}
	cmd.Stderr = os.Stderr
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	askRead.Close()
	toldWrite.Close()
	g := &benchGateway{b: b, cmd: cmd, in: in, w: bufio.NewWriterSize(in, 64<<10), r: bufio.NewReaderSize(out, 256<<10), ask: ask, told: told, call: benchCall}
	g.send(initializeFrame)
	g.reply()
	g.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	g.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if list := g.reply(); !strings.Contains(list, `"tools":[{`) {
		b.Fatalf("%s lists %s", name, list)
	}
	return g
}

func (g *benchGateway) send(frame string) {
	g.w.WriteString(frame)
	g.w.WriteByte('\n')
	if err := g.w.Flush(); err != nil {
		g.b.Fatal(err)
	}
}

// reply returns the next line that is no notification.
func (g *benchGateway) reply() string {
	for {
		line, err := g.r.ReadString('\n')
		if err != nil {
			g.b.Fatal(err)
		}
		if isReply([]byte(line)) {
			return line
		}
	}
}

const benchCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a request of about one hundred and seventy bytes, as tools have them","n":12345}}}`

// calls makes n calls, keeping inFlight of them under way.
func (g *benchGateway) calls(n, inFlight int) {
	sent := 0
	for range min(n, inFlight) {
		g.last++
		sent++
		fmt.Fprintf(g.w, g.call+"\n", g.last)
	}
	g.w.Flush()
	for got := 0; got < n; {
		line, err := g.r.ReadSlice('\n')
		if err != nil || isReply(line) && bytes.Contains(line, []byte(`"error":{`)) {
			g.b.Fatalf("reply %.200q, %v", line, err)
		}
		if !isReply(line) {
			continue
		}
		got++
		if sent < n {
			g.last++
			sent++
			fmt.Fprintf(g.w, g.call+"\n", g.last)
		}
		if g.r.Buffered() == 0 {
			g.w.Flush()
		}
	}
}

func (g *benchGateway) cpu() int64 {
	if _, err := g.ask.Write([]byte{1}); err != nil {
		g.b.Fatal(err)
	}
	var ns [8]byte
	if _, err := io.ReadFull(g.told, ns[:]); err != nil {
		g.b.Fatal(err)
	}
	return int64(binary.LittleEndian.Uint64(ns[:]))
}

func (g *benchGateway) stop() {
	g.in.Close()
	g.ask.Close()
	_, _ = io.Copy(io.Discard, g.r)
	if err := g.cmd.Wait(); err != nil {
		g.b.Errorf("gateway: %v", err)
	}
	g.told.Close()
}
