package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"anvil/compiler/surface"
)

// TestBaselinesAtOnce runs `snapshot` and `check --update` at once, as processes, over one folder and for servers that differ. Each accepts what it
// saw or says that it lost the race and is run again; what was ever accepted is shown by the last baseline or in a tombstone of it.
func TestBaselinesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const runs = 6
	var wg sync.WaitGroup
	var lost atomic.Int32
	for i := range runs {
		name := fmt.Sprintf("mcp%d.json", i)
		write(t, filepath.Join(dir, fmt.Sprintf("server%d.json", i)), fmt.Sprintf(`{"name":"shop","tools":[{"name":"common"},{"name":"own_%d"}]}`, i))
		write(t, filepath.Join(dir, name), fmt.Sprintf(`{"mcpServers":{"shop":{"command":"fakeserver","args":["server%d.json"]}}}`, i))
		args := []string{"mcp", "snapshot", "shop", "--config", name}
		if i%2 == 0 {
			args = []string{"mcp", "check", "--update", "shop", "--config", name}
		}
		wg.Go(func() {
			for range runs { // of those that run at once one always wins
				code, out := anvil(t, dir, args...)
				if code == exitClean {
					return
				}
				if code != exitFailed || !strings.Contains(out, "the stored snapshot changed since it was read") {
					t.Errorf("exit %d\n%s", code, out)
					return
				}
				lost.Add(1)
			}
			t.Errorf("%v lost every time", args)
		})
	}
	wg.Wait()
	t.Logf("lost %d races", lost.Load())
	store := surface.Store{Dir: filepath.Join(dir, "testdata", "snapshots")}
	last, err := store.Load("shop")
	if err != nil {
		t.Fatal(err)
	}
	if tools, gone := len(last.Tools()), len(last.Tombstones); tools != 2 || gone != runs-1 {
		t.Errorf("%d tools, %d tombstones %v; want 2 and %d", tools, gone, last.Tombstones, runs-1)
	}
	entries, err := os.ReadDir(store.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// anvil runs one as a process of its own in dir, and returns its exit code and all that it printed.
func anvil(t *testing.T, dir string, args ...string) (code int, out string) {
	return run(t, dir, "anvil", args...)
}

func run(t *testing.T, dir, program string, args ...string) (code int, out string) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
	return cmd.ProcessState.ExitCode(), printed.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
