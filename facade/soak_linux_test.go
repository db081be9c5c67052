package facade

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"anvil/wire"
)

// soakVariable says how many sessions TestSoak goes through; `make soak` sets it.
const soakVariable = "ANVIL_SOAK"

// TestSoak opens sessions on a server in a process of its own, calls, and ends each in one of the ways that sessions end: in order, in the middle of a call, with the
// server killed under it, with the server killed and started again. Requests of the stateless era do the same beside them. When all is over no process, no descriptor and
// no goroutine is left.
func TestSoak(t *testing.T) {
	cycles, seed := 12, uint64(1)
	if text := os.Getenv(soakVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", soakVariable, err)
		}
		cycles, seed = n, uint64(time.Now().UnixNano())
	}
	t.Logf("%d sessions, seed %d", cycles, seed)
	noLeak(t)
	dial := func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, peerCommand("sdk-server")) }
	link, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exposure := exposeLive(t, link)
	files := descriptors(t)
	f := newFacade(t, Options{Exposure: exposure, Dial: dial})
	random := rand.New(rand.NewPCG(seed, seed))
	stateless := Options{Name: "demo", Exposure: exposure, Dial: dial}
	stateless.Exposure.Protocol.Stateless = true
	var ending []<-chan error // of clients that left in the middle of a call, which takes a moment
	for i := range cycles {
		if i%4 == 3 {
			soakStateless(t, stateless, random.IntN(4), fmt.Sprintf("request %d", i))
			continue
		}
		ending = append(ending, soak(t, f, random.IntN(4), fmt.Sprintf("session %d", i)))
		if len(ending) > 16 {
			await(t, ending[0])
			ending = ending[1:]
		}
	}
	for _, done := range ending {
		await(t, done)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // a process that was killed is reaped a moment later
		left, now := children(t), descriptors(t)
		if len(left) == 0 && now <= files {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%d processes and %d descriptors are left, there were %d", len(left), now, files)
		}
	}
}

// soak is one session and its end; what it returns tells when it is over.
func soak(t *testing.T, f *Facade, way int, what string) <-chan error {
	t.Helper()
	near, far := wire.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		done <- f.Serve(ctx, far)
	}()
	before := children(t) // of clients that left and are not gone yet
	client := peer{t, near}
	client.ask(asksNobody)
	client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	call := func(tool string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
	}
	if got := client.ask(call("echo")); !strings.Contains(got, `"result"`) {
		t.Fatalf("%s: %s", what, got)
	}
	switch way {
	case 1:
		client.send(call("wait"))
	case 2, 3:
		killChildren(t, before)
	}
	if way == 3 {
		for end := time.Now().Add(patience); ; {
			client.send(call("echo"))
			got := client.recv()
			for strings.Contains(got, methodListChanged) {
				got = client.recv()
			}
			if strings.Contains(got, `"result"`) {
				break
			} else if time.Now().After(end) {
				t.Fatalf("%s: the server does not come back: %s", what, got)
			}
		}
	}
	if way == 0 {
		cancel()
	}
	near.Close()
	if way != 1 {
		err := await(t, done)
		done <- err
	}
	return done
}

// soakStateless is one request of the stateless era, on a facade of its own, and its end.
func soakStateless(t *testing.T, o Options, way int, what string) {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := children(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	call := func(tool string) string {
		return askAs(ctx, f, "", modern("1", methodCall, `"name":"`+tool+`","arguments":{}`)).Body.String()
	}
	if got := call("echo"); !strings.Contains(got, `"result"`) {
		t.Fatalf("%s: %s", what, got)
	}
	switch way {
	case 0:
		return
	case 1:
		time.AfterFunc(2*time.Millisecond, cancel)
		call("wait")
		return
	case 2:
		time.AfterFunc(2*time.Millisecond, func() { killChildren(t, before) })
		if got := call("wait"); !strings.Contains(got, `"id":1,`) {
			t.Fatalf("%s: %s", what, got)
		}
	case 3:
		killChildren(t, before)
	}
	for got := call("echo"); !strings.Contains(got, `"result"`); got = call("echo") {
		if ctx.Err() != nil || !strings.Contains(got, `"id":1,`) {
			t.Fatalf("%s: %s", what, got)
		}
	}
}

// killChildren kills those that are not spared.
func killChildren(t *testing.T, spared []int) {
	for _, pid := range children(t) {
		if !slices.Contains(spared, pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// children are the processes that this one has started and that are still there.
func children(t *testing.T) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:])) // state, parent
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
