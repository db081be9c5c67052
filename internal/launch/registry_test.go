package launch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// scoped and plain are packages of the test registry. Their program tells what it was started as.
const (
	scoped = "@demo/mcp-server"
	plain  = "demo-server"
)

const program = `#!/usr/bin/env node
const version = require("../package.json").version;
console.log(JSON.stringify({version, node: process.execPath, program: process.argv[1], args: process.argv.slice(2)}));
`

// registry is a package registry on the loopback, so that npx itself fills its caches.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	versions []string // published, oldest first
}

func newRegistry(t *testing.T, versions ...string) *registry {
	t.Helper()
	r := &registry{versions: versions}
	r.Server = httptest.NewUnstartedServer(r)
	r.Start()
	t.Cleanup(r.Close)
	return r
}

func (r *registry) publish(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.versions = append(r.versions, version)
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	path, err := url.PathUnescape(strings.TrimPrefix(req.URL.EscapedPath(), "/"))
	if err != nil {
		http.Error(w, "bad path", http.StatusBadRequest)
		return
	}
	if name, file, ok := strings.Cut(path, "/-/"); ok {
		w.Write(tarball(name, strings.TrimSuffix(file, ".tgz")))
		return
	}
	if path != scoped && path != plain {
		http.NotFound(w, req)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]any{}
	for _, version := range r.versions {
		m := manifestOf(path, version)
		sum := sha512.Sum512(tarball(path, version))
		m["dist"] = map[string]any{
			"tarball":   fmt.Sprintf("http://%s/%s/-/%s.tgz", req.Host, path, version),
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		}
		all[version] = m
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"name": path, "versions": all, "dist-tags": map[string]any{"latest": r.versions[len(r.versions)-1]},
	})
}

func manifestOf(name, version string) map[string]any {
	return map[string]any{"name": name, "version": version, "bin": map[string]any{name[strings.LastIndexByte(name, '/')+1:]: "bin/cli.js"}}
}

func tarball(name, version string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	description, _ := json.Marshal(manifestOf(name, version))
	for _, file := range [][2]string{{"package.json", string(description)}, {"bin/cli.js", program}} {
		w.WriteHeader(&tar.Header{Name: "package/" + file[0], Mode: 0o755, Size: int64(len(file[1]))})
		w.Write([]byte(file[1]))
	}
	w.Close()
	z.Close()
	return out.Bytes()
}

// user is somebody with a home folder of their own and the npm of this machine.
type user struct {
	t        *testing.T
	home     string
	registry string
}

func newUser(t *testing.T, registry string) *user {
	t.Helper()
	if _, err := exec.LookPath("npx"); err != nil {
		t.Fatal("npx is not in PATH; these tests compare with it: install Node.js with npm 10 or 11")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &user{t, home, registry}
}

func (u *user) env() []string {
	env := []string{"HOME=" + u.home, "PATH=" + os.Getenv("PATH"), "npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false",
		"npm_config_fetch_retries=0"}
	if u.registry != "" {
		env = append(env, "npm_config_registry="+u.registry)
	}
	return env
}

// folder makes a folder below home.
func (u *user) folder(names ...string) string {
	u.t.Helper()
	dir := filepath.Join(append([]string{u.home}, names...)...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		u.t.Fatal(err)
	}
	return dir
}

func (u *user) write(text string, mode os.FileMode, names ...string) string {
	u.t.Helper()
	path := filepath.Join(u.folder(names[:len(names)-1]...), names[len(names)-1])
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		u.t.Fatal(err)
	}
	return path
}

// run returns what a command prints, which must succeed.
func (u *user) run(dir string, args ...string) string {
	u.t.Helper()
	out, err := u.try(dir, args...)
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			u.t.Logf("%s", exit.Stderr)
		}
		u.t.Fatalf("%q: %v", args, err)
	}
	return out
}

func (u *user) try(dir string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = u.env(), dir
	out, err := cmd.Output()
	return string(out), err
}
