package facade

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"anvil/wire"
)

// BenchmarkSession is the facade alone, in this process between pipes, with a server in a process of its own: what it allocates for one call, the buffers
// that it reads into included. The load allocates nothing.
func BenchmarkSession(b *testing.B) {
	for _, size := range []int{900, 64 << 10} {
		b.Run(fmt.Sprintf("reply=%dB", size), func(b *testing.B) {
			b.Setenv("ANVIL_BENCH_REPLY", strconv.Itoa(size))
			in, out := benchSession(b)
			call, reply := []byte(fmt.Sprintf(benchCall, 7)+"\n"), bufio.NewReaderSize(out, 256<<10)
			ask := func() {
				if _, err := in.Write(call); err != nil {
					b.Fatal(err)
				}
				if line, err := reply.ReadSlice('\n'); err != nil || len(line) < size*9/10 {
					b.Fatalf("reply %.200q, %v", line, err)
				}
			}
			ask() // the session opens, and walks the tools
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				ask()
			}
		})
	}
}

// benchSession serves one session under a policy, with audit log and metrics, and returns the client's ends.
func benchSession(b *testing.B) (in, out *os.File) {
	b.Helper()
	o, end, err := benchOptions(true, func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, benchServer()) })
	if err != nil {
		b.Fatal(err)
	}
	f := newFacade(b, o)
	theirs, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	out, ours, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- f.ServeStdio(context.Background(), theirs, ours) }()
	b.Cleanup(func() {
		in.Close()
		if err := errors.Join(<-served, f.Close(), end(), out.Close()); err != nil {
			b.Error(err)
		}
	})
	return in, out
}

// BenchmarkIdle reports the memory that a client's session holds while nothing happens, heap and stacks, over 200 of them on links in memory: what the links and
// their far ends hold is measured alone and taken off. "process" is a session with its server in a process of its own.
func BenchmarkIdle(b *testing.B) {
	ends := measureIdle(b, 200, func() { benchEnds(b) })
	memory := measureIdle(b, 200, benchIdle(b, (&upstreams{t: b, tools: []string{benchTool}}).dial)) - ends
	process := measureIdle(b, 20, benchIdle(b, func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, benchServer()) }))
	for name, held := range map[string]float64{"memory": memory, "process": process} {
		b.Run(name, func(b *testing.B) { // which is run several times, and has nothing to repeat
			b.ReportMetric(held, "B/session")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchEnds makes what a session in memory hangs between: two links and a script at the far end of each.
func benchEnds(b *testing.B) {
	u := &upstreams{t: b, tools: []string{benchTool}}
	for range 2 {
		link, _ := u.dial(context.Background())
		b.Cleanup(func() { link.Close() })
		p := peer{b, link}
		p.ask(initializeFrame)
		p.ask(listFrame)
	}
}

// benchIdle opens sessions of one facade, with policy, audit log and metrics.
func benchIdle(b *testing.B, dial func(context.Context) (wire.Link, error)) (open func()) {
	o, end, err := benchOptions(true, dial)
	if err != nil {
		b.Fatal(err)
	}
	f := newFacade(b, o)
	b.Cleanup(func() { f.Close(); end() })
	return func() {
		client, _ := connect(b, f)
		client.ask(initializeFrame)
		client.ask(listFrame)
		client.ask(call("echo", `{"n":1}`))
	}
}

// measureIdle is how much each call of open adds to the heap and the stacks.
func measureIdle(b *testing.B, n int, open func()) float64 {
	b.Helper()
	open() // what is made once is no session's
	held := func() uint64 {
		runtime.GC()
		runtime.GC() // what pools hold survives one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := held()
	for range n {
		open()
	}
	return (float64(held()) - float64(before)) / float64(n)
}
