package facade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"anvil/compiler/canon"
	"anvil/wire"
)

// everythingServer is the SDK's fixture server, which has the tools, resources and prompts that the official conformance suite asks for.
const everythingServer = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// requirements are the sets of the official suite: its latest release, and the frozen sets of the one after it, that of the stateless era on a server that speaks it.
var requirements = []struct {
	name, folder string
	args         []string
	stateless    bool
}{
	{"latest", "@modelcontextprotocol/conformance", nil, false},
	{"2025-11-25", "conformance-next", []string{"--requirements", "2025-11-25"}, false},
	{"2026-07-28", "conformance-next", []string{"--requirements", "2026-07-28"}, true},
	{"2025-11-25 of a stateless server", "conformance-next", []string{"--requirements", "2025-11-25"}, true},
}

// streamed are checks that the suite makes of event streams alone. The facade answers with one JSON body where nothing comes before the reply, which the transport leaves
// to servers (2025-11-25, Sending Messages to the Server), so they are not asked of it.
var streamed = []string{"server-sse-streams-functional", "server-sse-priming-event", "server-sse-retry-field"}

// TestConformance runs the official suite on the SDK's fixture server, and on the facade before it: every check ends alike. There is no list of failures to expect.
func TestConformance(t *testing.T) {
	modules := installedModules(t)
	for _, set := range requirements {
		t.Run(set.name, func(t *testing.T) {
			direct := startEverything(t, set.stateless)
			link, err := wire.DialHTTP(wire.HTTPOptions{URL: direct})
			if err != nil {
				t.Fatal(err)
			}
			exposure := exposeLive(t, link)
			exposure.Protocol.Stateless = set.stateless
			f := newFacade(t, Options{Exposure: exposure, Dial: func(context.Context) (wire.Link, error) {
				return wire.DialHTTP(wire.HTTPOptions{URL: direct})
			}})
			server := httptest.NewServer(f.Handler())
			t.Cleanup(server.Close)
			want, got := conformance(t, modules, set.folder, direct, set.args), conformance(t, modules, set.folder, server.URL+Path, set.args)
			if len(want) < 25 {
				t.Fatalf("the suite ran %d scenarios on the server alone", len(want))
			}
			if set.stateless && !strings.HasPrefix(set.name, "2026") { // the facade has sessions, and so passes checks that the server is not asked
				want, got = nil, failures(got, want)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("checks end otherwise through the facade (-server +facade)\n%s", diff)
			}
		})
	}
}

// installedModules is the folder of the packages that make test installs. A clone without them skips, which under CI=true is a failure.
func installedModules(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ANVIL_NPM")
	if dir == "" && os.Getenv("CI") == "true" {
		t.Fatal("ANVIL_NPM is not set, so conformance is not tested; run `make test`, which installs the suite and sets it")
	}
	if dir == "" {
		t.Skip("ANVIL_NPM is not set: `make test` installs the conformance suite and sets it")
	}
	return filepath.Join(dir, "node_modules")
}

// startEverything builds the fixture server out of the module that go.mod pins, and starts it.
func startEverything(t *testing.T, stateless bool) (url string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "everything-server")
	if out, err := exec.Command("go", "build", "-o", binary, everythingServer).CombinedOutput(); err != nil {
		t.Fatalf("build the fixture server: %v\n%s", err, out)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	cmd := exec.Command(binary, "-http", addr, fmt.Sprintf("-stateless=%t", stateless))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return "http://" + addr + Path
		} else if time.Now().After(end) {
			t.Fatalf("the fixture server does not listen: %v", err)
		}
	}
}

var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// conformance runs the suite against a URL, and returns for each scenario how its checks ended.
func conformance(t *testing.T, modules, folder, url string, args []string) map[string][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir := t.TempDir()
	node := filepath.Join(modules, "node-"+runtime.GOOS+"-"+map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH], "bin", "node")
	program := filepath.Join(modules, filepath.FromSlash(folder), "dist", "index.js")
	cmd := exec.CommandContext(ctx, node, append([]string{program, "server", "--url", url, "-o", dir}, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = t.TempDir(), wire.BaseEnv(nil), 5*time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("the suite: %v\n%s", errors.Join(err, ctx.Err()), out.String())
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	ended := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err := canon.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		scenario := stamp.ReplaceAllString(filepath.Base(filepath.Dir(file)), "")
		for _, check := range list.Elements() {
			status, id := check.Get("status").Text(), check.Get("id").Text()
			if status != "INFO" && !slices.Contains(streamed, id) {
				ended[scenario] = append(ended[scenario], id+" "+status)
			}
		}
		slices.Sort(ended[scenario])
	}
	t.Logf("%s: %d scenarios, %d checks, %d failed", strings.Join(args, " "), len(ended), count(ended, ""), count(ended, "FAILURE"))
	return ended
}

// failures are the checks that failed in got, and not in want.
func failures(got, want map[string][]string) map[string][]string {
	failed := map[string][]string{}
	for scenario, checks := range got {
		for _, c := range checks {
			if strings.HasSuffix(c, "FAILURE") && !slices.Contains(want[scenario], c) {
				failed[scenario] = append(failed[scenario], c)
			}
		}
	}
	return failed
}

func count(ended map[string][]string, status string) (n int) {
	for _, checks := range ended {
		for _, c := range checks {
			if strings.HasSuffix(c, status) {
				n++
			}
		}
	}
	return n
}
