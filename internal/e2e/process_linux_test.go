package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// processesOf lists the processes whose environment or command line holds mark.
func processesOf(t testing.TB, mark string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that ends while it is looked at, or is another user's, cannot be read: neither is ours.
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if bytes.Contains(line, []byte(mark)) || bytes.Contains(environ, []byte(mark)) {
			found = append(found, fmt.Sprintf("%d %s", pid, strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return found
}

// TestProcessesAreFound keeps the search for what is left behind honest.
func TestProcessesAreFound(t *testing.T) {
	mark := t.TempDir()
	cmd := exec.Command(os.Args[0], "cat")
	cmd.Env = append(os.Environ(), floorVariable+"="+mark)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "hello")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	if found := processesOf(t, mark); len(found) != 1 || !strings.HasPrefix(found[0], strconv.Itoa(cmd.Process.Pid)+" ") {
		t.Errorf("found %q, want process %d", found, cmd.Process.Pid)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if found := processesOf(t, mark); len(found) != 0 {
		t.Errorf("found %q after the end", found)
	}
}
