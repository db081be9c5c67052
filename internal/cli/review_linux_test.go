package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"anvil/compiler/air"
	"anvil/compiler/pack"
)

// reviewing is anvil reviewing a pack in a process and on a terminal of its own.
type reviewing struct {
	t        *testing.T
	screen   *screen
	terminal *os.File
	command  *exec.Cmd
}

func reviewOnTerminal(t *testing.T, args ...string) *reviewing {
	t.Helper()
	t.Setenv("USER", "tester")
	screen, terminal := openTerminal(t)
	command := exec.Command("anvil", append([]string{"mcp", "review"}, args...)...)
	command.Stdin, command.Stdout, command.Stderr = terminal, terminal, terminal
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	r := &reviewing{t, screen, terminal, command}
	t.Cleanup(func() { _ = command.Process.Kill() })
	return r
}

// sees waits until the screen was sent the words so many times.
func (r *reviewing) sees(words string, times int) {
	r.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Count(r.screen.text(), words) >= times {
			return
		}
	}
	r.t.Fatalf("the screen never showed %q %d times; it was sent %q", words, times, r.screen.text())
}

func (r *reviewing) types(keys string) {
	r.t.Helper()
	if _, err := io.WriteString(r.screen.keys, keys); err != nil {
		r.t.Fatal(err)
	}
}

// presses waits for the n-th question what to do, and answers it.
func (r *reviewing) presses(n int, keys string) {
	r.t.Helper()
	r.sees("[?] help > ", n)
	r.types(keys)
}

func (r *reviewing) ends(code int) {
	r.t.Helper()
	_ = r.command.Wait()
	if got := r.command.ProcessState.ExitCode(); got != code {
		r.t.Fatalf("exit %d, want %d; the screen was sent %q", got, code, r.screen.text())
	}
}

func (r *reviewing) modes() unix.Termios {
	r.t.Helper()
	modes, err := unix.IoctlGetTermios(int(r.terminal.Fd()), unix.TCGETS)
	if err != nil {
		r.t.Fatal(err)
	}
	return *modes
}

func adoptedRefunds(t *testing.T) (dir string) {
	t.Helper()
	server := filepath.Join(buildRefunds(t), "refunds")
	t.Chdir(t.TempDir())
	mustExit(t, 0, "mcp", "adopt", "--mode", "facade", "--out", "pack", "--", server)
	return "pack"
}

// adoptedShop is a pack of three tools in a folder of its own, and what makes their server list another of them.
func adoptedShop(t *testing.T) (dir string, change func()) {
	t.Helper()
	t.Chdir(t.TempDir())
	const tools = `{"name": "shop", "tools": [{"name": "buy"}, {"name": "sell"}, {"name": "weigh"}]}`
	writeFile(t, "server.json", tools)
	mustExit(t, 0, "mcp", "adopt", "--out", "pack", "--", "fakeserver", "server.json")
	return "pack", func() {
		writeFile(t, "server.json", strings.Replace(tools, `"sell"`, `"sell", "description": "Sells it."`, 1))
		mustExit(t, 0, "mcp", "adopt", "--out", "pack", "--", "fakeserver", "server.json")
	}
}

func documentOf(t *testing.T, dir string) (air.Document, string) {
	t.Helper()
	p, err := pack.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Document()
	if err != nil {
		t.Fatal(err)
	}
	return d, p.Manifest.Digest
}

func TestReviewOnATerminal(t *testing.T) {
	dir := adoptedRefunds(t)
	_, before := documentOf(t, dir)
	r := reviewOnTerminal(t, dir, "--by", "ada")
	modes := r.modes()
	r.sees("1 of 10  refunds.approve_refund", 1)
	r.presses(1, "a")
	r.sees("why? ", 1)
	r.types("on call\r")
	r.sees("2 of 10  refunds.cancel_refund", 1)
	r.presses(2, "b")
	r.sees("why is it blocked?", 1)
	r.types("\r")
	r.sees("a block needs a reason", 1)
	r.presses(3, "b")
	r.types("nevex\x7fr\r")
	r.sees("3 of 10  refunds.create_refund", 1)
	r.presses(4, "k")
	r.sees("decided   block: never", 1)
	r.presses(5, "s") // undone
	r.presses(6, "k")
	r.presses(7, "b")
	r.types("no \u65e5\u672c\r")
	r.presses(8, "\x1b[A?") // an arrow says nothing
	r.sees("Ctrl-C ends without writing anything", 1)
	r.presses(9, "a")
	r.types("not\x1b")
	r.sees("not decided", 1)
	if _, now := documentOf(t, dir); now != before {
		t.Fatal("something was written before the end")
	}
	r.presses(10, "q")
	r.ends(exitClean)
	for _, words := range []string{"approved  approve_refund  (mutation, financial risk)", "blocked   cancel_refund", "1 of 10 operations can be called", "8 operations left: anvil mcp review pack"} {
		r.sees(words, 1)
	}
	if diff := cmp.Diff(modes, r.modes()); diff != "" && modes.Lflag&unix.ICANON != 0 {
		t.Errorf("the terminal was left in another mode (-before +after)\n%s", diff)
	}
	if strings.Count(r.screen.text(), "decided   block") != 1 {
		t.Error("a skipped decision is shown still")
	}
	d, _ := documentOf(t, dir)
	approved, _ := d.Find("refunds.approve_refund")
	blocked, _ := d.Find("refunds.cancel_refund")
	if a := approved.Approval; a == nil || a.By != "ada" || a.Reason != "on call" || a.ContractDigest != approved.ContractDigest || a.TextDigest != approved.TextDigest {
		t.Errorf("approval %+v", a)
	}
	if b := blocked.Block; b == nil || b.By != "ada" || b.Reason != "no \u65e5\u672c" || b.At == "" || blocked.State != air.StateBlocked {
		t.Errorf("block %+v", b)
	}
	mustExit(t, 0, "pack", "verify", dir)
}

func TestReviewGivenUpWritesNothing(t *testing.T) {
	dir, _ := adoptedShop(t)
	_, before := documentOf(t, dir)
	for name, keys := range map[string]string{"at the question": "\x03", "in a reason": "ahalf\x03"} {
		r := reviewOnTerminal(t, dir)
		r.presses(1, "a")
		r.types("\r")
		r.presses(2, keys)
		r.ends(exitFailed)
		r.sees("nothing was written", 1)
		if _, now := documentOf(t, dir); now != before {
			t.Errorf("%s: the pack was changed", name)
		}
		if r.modes().Lflag&(unix.ICANON|unix.ECHO) != unix.ICANON|unix.ECHO {
			t.Errorf("%s: the terminal was left without its line mode", name)
		}
	}
}

// A pack that is built again while somebody reads counts: what was decided of a tool that is another one by then is not written.
func TestReviewOfAPackThatChanges(t *testing.T) {
	dir, change := adoptedShop(t)
	r := reviewOnTerminal(t, dir)
	r.presses(1, "a")
	r.types("\r")
	r.presses(2, "a") // sell, which changes
	r.types("\r")
	r.sees("3 of 3", 1)
	change()
	r.presses(3, "q")
	r.ends(exitClean)
	r.sees("not decided sell: the pack was built again meanwhile", 1)
	r.sees("1 of 3 operations can be called", 1)
	d, _ := documentOf(t, dir)
	if o, _ := d.Find("shop.sell"); o.State == air.StateApproved {
		t.Error("a tool was approved that nobody looked at")
	}
}

// What somebody else decides while a review is under way stands: the reviewer did not see it, and lifts no block by a key that was pressed before.
func TestReviewOfAPackOfWhichOthersDecide(t *testing.T) {
	dir, _ := adoptedShop(t)
	r := reviewOnTerminal(t, dir, "--by", "ada")
	r.presses(1, "a") // buy
	r.types("\r")
	r.presses(2, "b") // sell
	r.types("never\r")
	r.sees("3 of 3", 1)
	mustExit(t, 0, "mcp", "block", dir, "buy", "--by", "eve", "--reason", "it leaks")
	mustExit(t, 0, "mcp", "approve", dir, "sell", "--by", "bob", "--reason", "needed")
	writeFile(t, "anvil.yaml", "annotations:\n  shop:\n    weigh: {effect: read, risk: none, by: bob, reason: it reads}\n")
	mustExit(t, 0, "mcp", "adopt", "--out", dir, "--", "fakeserver", "server.json")
	r.presses(3, "a") // weigh
	r.types("\r")
	r.ends(exitClean)
	r.sees("not decided buy: somebody decided of it meanwhile: it is blocked by eve on ", 1)
	r.sees("not decided sell: somebody decided of it meanwhile: it is approved by bob on ", 1)
	r.sees("not decided weigh: somebody decided of it meanwhile: what was decided before is taken back, or the configuration states something else of it; review it again", 1)
	d, _ := documentOf(t, dir)
	buy, _ := d.Find("shop.buy")
	sell, _ := d.Find("shop.sell")
	weigh, _ := d.Find("shop.weigh")
	if buy.Block == nil || buy.Block.By != "eve" {
		t.Errorf("a block is lifted that the reviewer never saw: %+v", buy.Block)
	}
	if sell.Approval == nil || sell.Approval.By != "bob" || weigh.Approval != nil {
		t.Errorf("what was not seen is decided: sell %+v, weigh %+v", sell.Approval, weigh.Approval)
	}
}

// Nothing of a server's reaches the terminal but as letters that stay in their line.
func TestReviewShowsHostileTextAsItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "server.json", `{"name": "shop", "tools": [{"name": "get_thing", "description": "Reads.\u001b[2J\u200b\u202eevil\r\nSecond.", "annotations": {"readOnlyHint": true},
		"inputSchema": {"type": "object", "properties": {"i\u001b]0;d": {"type": "string", "default": "\u0007", "description": "\u009b31m"}}}}]}`)
	mustExit(t, 0, "mcp", "adopt", "--accept", "hidden-text/get_thing:2999-12-31:test", "--out", "pack", "--", "fakeserver", "server.json")
	r := reviewOnTerminal(t, "pack")
	r.presses(1, "q")
	r.ends(exitClean)
	r.sees("nothing was decided, and nothing written", 1) // what a process wrote last is on the screen a little later
	seen := r.screen.text()
	for _, words := range []string{`| Reads.\u001b[2J\u200b\u202eevil\r`, "    | Second.", `i\u001b]0;d`, `| \u009b31m`} {
		if !strings.Contains(seen, words) {
			t.Errorf("the screen was not sent %q", words)
		}
	}
	if strings.ContainsAny(seen, "\x1b\a\u009b\u200b\u202e") {
		t.Errorf("the terminal was sent %q", seen)
	}
}

// What approve refuses, since a capability would hold too much, a review refuses too, with what was decided in it before counted in.
func TestReviewStaysWithinTheBudget(t *testing.T) {
	t.Chdir(t.TempDir())
	wordy(t, "wordy.snapshot.json")
	mustExit(t, 0, "mcp", "adopt", "wordy.snapshot.json", "--out", "pack")
	approve := []string{"mcp", "approve", "pack", "--by", "ada"}
	for letter := 'a'; letter < 'k'; letter++ {
		approve = append(approve, "get_thing_"+string(letter))
	}
	mustExit(t, 0, approve...)
	r := reviewOnTerminal(t, "pack")
	r.presses(1, "a")
	r.types("\r")
	r.presses(2, "a")
	r.sees("nothing was approved", 1)
	r.sees("capability-token-budget-exceeded", 1)
	r.presses(3, "q")
	r.ends(exitClean)
	if d, _ := documentOf(t, "pack"); len(d.Approved().Operations) != 11 {
		t.Errorf("%d operations are approved, want 11", len(d.Approved().Operations))
	}
}

// Keys that were typed before their question decide nothing: a person who holds a key down, or a program, approves one operation and not the ones behind it.
func TestReviewForgetsWhatWasTypedAhead(t *testing.T) {
	dir, _ := adoptedShop(t)
	r := reviewOnTerminal(t, dir, "--by", "ada")
	r.presses(1, "a\ra\ra\r")
	r.sees("2 of 3", 1)
	r.presses(2, "b")
	r.sees("why is it blocked?", 1)
	r.types("never\rb")
	r.presses(3, "q")
	r.ends(exitClean)
	d, _ := documentOf(t, dir)
	for id, want := range map[string]air.State{"shop.buy": air.StateApproved, "shop.sell": air.StateBlocked} {
		if o, _ := d.Find(id); o.State != want {
			t.Errorf("%s is %s, want %s", id, o.State, want)
		}
	}
	if o, _ := d.Find("shop.weigh"); o.Approval != nil || o.Block != nil {
		t.Errorf("weigh was decided by a key that was pressed before it was shown: %+v %+v", o.Approval, o.Block)
	}
}
