package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// helperScript is a process that nothing but SIGKILL ends. It announces its id when it is ready, and has a child.
const helperScript = `trap "" TERM INT HUP; sleep 1000 & printf '{"jsonrpc":"2.0","method":"m","params":%d}\n' $$; while :; do sleep 1000; done`

const setsidServer = `setsid sh -c "$HELPER" & exec cat`

func scriptCommand(script string) Command {
	return Command{
		Args:  []string{"sh", "-c", script},
		Env:   BaseEnv(map[string]string{"HELPER": helperScript}),
		Grace: 300 * time.Millisecond, KillAfter: 300 * time.Millisecond,
	}
}

// The file's name makes this run after the init of server_test.go.
func init() {
	testServers["nested"] = func() { startNested(); select {} }
	testServers["interrupted"] = func() {
		defer KillOnSignal(os.Interrupt, syscall.SIGTERM)()
		startNested()
		select {}
	}
	testServers["panicking"] = func() {
		defer KillAll()
		startNested()
		bufio.NewReader(os.Stdin).ReadString('\n')
		panic("on purpose")
	}
}

// startNested starts a server with an escaped helper, and announces the helper and then the server.
func startNested() {
	p, err := Start(context.Background(), scriptCommand(setsidServer))
	if err != nil {
		panic(err)
	}
	frame, err := p.Recv(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", frame)
	announce(p.Pid())
}

// watched is a process that a test follows to its end.
type watched struct {
	procInfo
	gone func()
}

// watchTree follows every process that carries the mark of p, is among pids, or descends from one of these.
func watchTree(t *testing.T, p *Process, pids ...int) []watched {
	t.Helper()
	table := readProcs()
	inside := func(pid int) bool {
		for ; pid > 1; pid = table[pid].ppid {
			if slices.Contains(pids, pid) || p.tree.carriesMark(pid) {
				return true
			}
		}
		return false
	}
	var all []watched
	for pid, info := range table {
		if inside(pid) {
			all = append(all, watched{info, watch(t, pid)})
		}
	}
	for _, pid := range append(pids, p.Pid()) {
		if !slices.ContainsFunc(all, func(w watched) bool { return w.pid == pid }) {
			t.Fatalf("process %d is not found in the tree", pid)
		}
	}
	return all
}

// mustBeGone fails if one of the tree lives, or stays a zombie of this process.
func mustBeGone(t *testing.T, tree []watched) {
	t.Helper()
	for _, w := range tree {
		if now, there := readProc(w.pid); there && now.start == w.start && now.alive() {
			t.Errorf("process %d is still there: %+v", w.pid, now)
		}
		w.gone()
	}
	adoptOrphans() // as happens at times: while watch held a descriptor, they were taken for somebody's
	for _, w := range tree {
		mustBeReaped(t, w.procInfo)
	}
}

// mustBeReaped waits until p has died and is reaped, which is seen to meanwhile as often as it is looked for.
func mustBeReaped(t *testing.T, p procInfo) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	times := make(chan time.Time)
	defer close(times)
	go reapAt(times)
	for ctx := testContext(t); ; {
		now, there := readProc(p.pid)
		if !there || now.start != p.start {
			return
		}
		select {
		case now := <-tick.C:
			times <- now
		case <-ctx.Done():
			t.Fatalf("process %d is still there: %+v", p.pid, now)
		}
	}
}

// startBystanders starts processes outside every tree, one of them a daemon that falls to this process as an orphan, and
// returns a function that fails if one has ended.
func startBystanders(t *testing.T) (mustLive func()) {
	t.Helper()
	becomeReaper()
	out, err := exec.Command("sh", "-c", `setsid sleep 1000 >&- 2>&- & echo $!`).Output()
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	pids := []int{orphan}
	for _, attr := range []*syscall.SysProcAttr{{}, {Setsid: true}, {Setpgid: true}} {
		cmd := exec.Command("sleep", "1000")
		cmd.SysProcAttr = attr
		cmd.Env = []string{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, cmd.Process.Pid)
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	}
	t.Cleanup(func() {
		syscall.Kill(orphan, syscall.SIGKILL)
		unix.Wait4(orphan, nil, 0, nil)
	})
	return func() {
		t.Helper()
		for _, pid := range pids {
			if p, there := readProc(pid); !there || !p.alive() {
				t.Errorf("bystander %d was ended", pid)
			}
		}
	}
}

func TestWholeTreeIsGone(t *testing.T) {
	ends := map[string]func(*Process) error{
		"close":    (*Process).Close,
		"crash":    func(p *Process) error { return syscall.Kill(p.Pid(), syscall.SIGKILL) },
		"kill all": func(*Process) error { KillAll(); return nil },
	}
	for _, tt := range []struct {
		name, script string
		not          string // an end that this tree survives, by design
	}{
		{"three levels", `sh -c 'sh -c "$HELPER"; :'; :`, ""},
		{"helper in the background", `sh -c "$HELPER" & exec cat`, ""},
		{"own session", setsidServer, ""},
		{"own session, silent", `setsid sh -c "$HELPER; :" 0<&- 2>&- & exec cat`, ""},
		{"daemon", `(setsid sh -c 'sh -c "$HELPER" & :' &); exec cat`, ""},
		{"server in another session", `setsid sh -c "$HELPER" & wait`, ""},
		{"own environment", `env -i "PATH=$PATH" setsid sh -c "$HELPER" & exec cat`, "crash"},
	} {
		for end, do := range ends {
			if end == tt.not {
				continue
			}
			t.Run(tt.name+"/"+end, func(t *testing.T) {
				mustLive := startBystanders(t)
				p := startCommand(t, scriptCommand(tt.script))
				tree := watchTree(t, p, helloPid(t, p))
				if len(tree) < 3 {
					t.Errorf("the tree has %d processes, want server, helper and its child at least", len(tree))
				}
				start := time.Now()
				if err := do(p); err != nil {
					t.Fatal(err)
				}
				if !waitFor(p.gone, patience) {
					t.Fatal("the server does not end")
				}
				if took := time.Since(start); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
				mustBeGone(t, tree)
				mustLive()
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestServersDoNotKillEachOther(t *testing.T) {
	mustLive := startBystanders(t)
	const servers = 20
	var procs [servers]*Process
	var trees [servers][]watched
	for i := range procs {
		procs[i] = startCommand(t, scriptCommand(setsidServer))
	}
	for i, p := range procs {
		trees[i] = watchTree(t, p, helloPid(t, p))
	}
	closeEvery := func(first int) {
		var work sync.WaitGroup
		start := time.Now()
		for i := first; i < servers; i += 2 {
			work.Go(func() {
				if err := procs[i].Close(); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("closing ten took %v", took)
		}
		for i := first; i < servers; i += 2 {
			mustBeGone(t, trees[i])
		}
	}
	closeEvery(0)
	for i := 1; i < servers; i += 2 {
		for _, w := range trees[i] {
			if now, there := readProc(w.pid); !there || !now.alive() {
				t.Errorf("process %d of server %d was ended with another server", w.pid, i)
			}
		}
	}
	closeEvery(1)
	mustLive()
}

// What the tree of a running server leaves behind falls to this process, and must not pile up.
func TestOrphansAreReaped(t *testing.T) {
	for name, script := range map[string]string{
		"group":   `(sh -c "$HELPER" &); exec cat`,
		"session": `(setsid sh -c "$HELPER" &); exec cat`,
	} {
		t.Run(name, func(t *testing.T) {
			gate := filepath.Join(t.TempDir(), "gate")
			if err := unix.Mkfifo(gate, 0o600); err != nil {
				t.Fatal(err)
			}
			command := scriptCommand(script)
			command.Env = BaseEnv(map[string]string{
				"GATE": gate, "HELPER": `printf '{"jsonrpc":"2.0","method":"m","params":%d}\n' $$; read line <"$GATE"`,
			})
			p := startCommand(t, command)
			info, there := readProc(helloPid(t, p))
			if !there {
				t.Fatal("the helper is not there")
			}
			w, err := os.OpenFile(gate, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			w.Close()
			mustBeReaped(t, info)
		})
	}
}

// startAnvil runs this binary as an anvil of its own, outside every tree of this one, and follows its server and the helper.
func startAnvil(t *testing.T, mode string) (cmd *exec.Cmd, in io.Closer, mustEnd func()) {
	t.Helper()
	c := testCommand(mode)
	cmd = exec.Command(c.Args[0])
	cmd.Env = c.Env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var gone []func()
	lines := bufio.NewScanner(stdout)
	for range 2 {
		if !lines.Scan() {
			t.Fatal("the nested anvil did not start its server")
		}
		params, _ := Member(lines.Bytes(), "params")
		pid, err := strconv.Atoi(string(lines.Bytes()[params.Start:params.End]))
		if err != nil {
			t.Fatal(err)
		}
		gone = append(gone, watch(t, pid))
		t.Cleanup(func() {
			if t.Failed() {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
	return cmd, stdin, func() {
		for _, wait := range gone {
			wait()
		}
	}
}

func TestKillOnSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd, _, mustEnd := startAnvil(t, "interrupted")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			mustEnd()
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != sig {
				t.Errorf("it ended with %v, want %v", err, sig)
			}
		})
	}
}

func TestKillAllOnPanic(t *testing.T) {
	cmd, in, mustEnd := startAnvil(t, "panicking")
	in.Close()
	mustEnd()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("it ended with %v, want exit code 2", err)
	}
}

// SIGKILL leaves no time to kill anything: the server gets the kernel's SIGTERM, its escaped helper lives on. An anvil
// above, which started the killed one as a server, still finds both.
func TestKilledAnvilLeavesNothingToTheOneAbove(t *testing.T) {
	outer := startServer(t, "nested")
	helper := helloPid(t, outer)
	tree := watchTree(t, outer, helper, helloPid(t, outer))
	if err := syscall.Kill(outer.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-outer.gone
	mustBeGone(t, tree)
}

func TestMarkEnv(t *testing.T) {
	t.Setenv(markName, "above")
	tr := newTree()
	env := tr.markEnv([]string{"A=1", markName + "=stale", "B=2"})
	if want := []string{"A=1", "B=2", markName + "=above:" + tr.mark}; !slices.Equal(env, want) {
		t.Errorf("got %q, want %q", env, want)
	}
	joined := []byte(strings.Join(env, "\x00"))
	if !hasMark(joined, tr.mark) || !hasMark(joined, "above") || hasMark(joined, tr.mark[:5]) || hasMark(nil, "") {
		t.Error("marks are not told apart")
	}
}

func BenchmarkStartClose(b *testing.B) {
	for b.Loop() {
		p, err := Start(b.Context(), Command{Args: []string{"cat"}})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
