//go:build linux

package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("not a program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		command Command
		want    error
		text    string
	}{
		{"nothing", Command{}, nil, "no command given"},
		{"not in PATH", Command{Args: []string{"no-such-server"}}, exec.ErrNotFound, "no-such-server"},
		{"not in the PATH given", Command{Args: []string{"sh"}, Env: []string{"PATH=" + dir}}, exec.ErrNotFound, "sh"},
		{"missing file", Command{Args: []string{dir + "/none"}}, fs.ErrNotExist, "/none"},
		{"not executable", Command{Args: []string{plain}}, fs.ErrPermission, "plain"},
		{"missing directory", Command{Args: []string{"sh"}, Dir: dir + "/none"}, fs.ErrNotExist, "working directory"},
		{"no directory", Command{Args: []string{"sh"}, Dir: plain}, fs.ErrInvalid, "not a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Start(context.Background(), tt.command)
			if err == nil {
				p.Close()
				t.Fatal("it started")
			}
			if tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %v naming %s", err, tt.want, tt.text)
			}
		})
	}
}

func TestBaseEnv(t *testing.T) {
	current := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_CACHE_HOME=/c", "API_TOKEN=s", "HTTPS_PROXY=u:p@x", "ODD", "=x"}
	want := []string{"EXTRA=1", "HOME=/other", "LC_ALL=C", "PATH=/bin", "XDG_CACHE_HOME=/c"}
	if diff := cmp.Diff(want, baseEnv(current, map[string]string{"HOME": "/other", "EXTRA": "1"})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProcessNeverInheritsEverything(t *testing.T) {
	t.Setenv("WIRE_TEST_SECRET", "s3cret")
	t.Setenv(serverEnv, "")
	p := startCommand(t, Command{Args: []string{"sh", "-c", `printf '{"jsonrpc":"2.0","method":"m","params":"%s"}\n' "$WIRE_TEST_SECRET"`}})
	if got := string(hello(t, p)); got != `""` {
		t.Errorf("the child sees %s", got)
	}
	p = startServer(t, "environment")
	var got []string
	if err := json.Unmarshal(hello(t, p), &got); err != nil {
		t.Fatal(err)
	}
	if want := p.tree.markEnv(testCommand("environment").Env); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStderrLogIsBounded(t *testing.T) {
	var s stderrLog
	s.write([]byte("early\n"))
	for i := range 1000 {
		s.write([]byte(strings.Repeat("x", 1000)))
		s.write([]byte(fmt.Sprintf("%d\r\n", i)))
	}
	s.write(bytes.Repeat([]byte("y"), 10<<10))
	lines := s.last()
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	if size > stderrBytes+stderrLineMax || len(lines) > stderrLines+1 {
		t.Errorf("kept %d bytes in %d lines", size, len(lines))
	}
	if last := lines[len(lines)-2]; !strings.HasSuffix(last, "x999") || len(lines[len(lines)-1]) != stderrLineMax {
		t.Errorf("last lines are %q and %d bytes", last, len(lines[len(lines)-1]))
	}
}
