package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts run anvil, servers that say what a script wants, one that answers every request with one HTTP status, and a client
// that sends raw messages over HTTP, as processes of their own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"anvil":      func() { os.Exit(keeping(os.Args)) },
		"echohttp":   echoHTTP,
		"fakeserver": fakeServer,
		"httpstatus": httpStatus,
		"post":       post,
		"get":        get,
	})
}

// httpStatus listens on loopback, writes its address to the file ADDR names, and answers with STATUS: httpstatus STATUS ADDR.
func httpStatus() {
	status, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	temporary := os.Args[2] + ".new"
	if err := os.WriteFile(temporary, []byte("URL=http://"+l.Addr().String()+"/mcp\n"), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(temporary, os.Args[2]); err != nil {
		panic(err)
	}
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintln(w, "no such thing here")
	})))
}

// get prints what is at a URL, and ends with code 1 where that is no success.
func get() {
	resp, err := http.Get(os.Args[1])
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(os.Stdout, resp.Body)
	if resp.StatusCode != http.StatusOK {
		os.Exit(1)
	}
}

// post sends each file as one HTTP request, keeps the session that the first answer opens, and prints status and body: post URL FILE...
func post() {
	session := ""
	for _, file := range os.Args[2:] {
		body, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		req, err := http.NewRequest(http.MethodPost, os.Args[1], bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		if token := os.Getenv("POST_TOKEN"); token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		req.Host = os.Getenv("POST_HOST")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			panic(err)
		}
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(err)
		}
		resp.Body.Close()
		fmt.Printf("%d %s\n", resp.StatusCode, answer)
	}
}

// buildRefunds builds the example server once for all scripts.
func buildRefunds(t *testing.T) string {
	t.Helper()
	return filepath.Dir(buildProgram(t, "anvil/examples/refunds"))
}

func buildProgram(t *testing.T, path string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(path))
	if out, err := exec.Command("go", "build", "-o", bin, path).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, out)
	}
	return bin
}

// TestScripts runs every script of testdata/script. Scripts find anvil and refunds in PATH. Whatever reports they print as JSON are held to their schema.
var updateScripts = flag.Bool("update-scripts", false, "rewrite the files that scripts compare with")

func TestScripts(t *testing.T) {
	bin, reports := buildRefunds(t), t.TempDir()
	t.Cleanup(func() { checkKept(t, reports) }) // once all of them have run
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *updateScripts,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("USER", "tester")
			e.Setenv("TOKEN", "ghp"+"_"+strings.Repeat("a1B2", 9)) // looks like a credential, and is none
			e.Setenv(keptVariable, reports)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // under -race every anvil would sleep a second before it ends
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"asks":       cmdAsks,
			"backdate":   cmdBackdate,
			"calls":      cmdCalls,
			"edit":       cmdEdit,
			"endings":    cmdEndings,
			"exits":      cmdExits,
			"flip":       cmdFlip,
			"forge":      cmdForge,
			"refused":    cmdRefused,
			"remade":     cmdRemade,
			"samedir":    cmdSameDir,
			"sql":        cmdSQL,
			"transplant": cmdTransplant,
			"trustof":    cmdTrustOf,
			"waitenv":    cmdWaitEnv,
			"waittext":   cmdWaitText,
			"without":    cmdWithout,
		},
	})
}
