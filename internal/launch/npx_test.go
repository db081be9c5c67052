package launch

import (
	"slices"
	"strings"
	"testing"
)

// TestAgainstNPX holds Resolve to npx: what it resolves must print the same as what npx runs, down to the name it is
// started by.
func TestAgainstNPX(t *testing.T) {
	r := newRegistry(t, "1.0.0", "1.1.0", "2.0.0")
	u := newUser(t, r.URL)
	empty := u.folder("empty")
	project := u.folder("project")
	u.write(`{"name": "some-project", "dependencies": {}}`, 0o644, "project", "package.json")
	below := u.folder("project", "src", "deep")
	u.run(project, "npm", "install", scoped+"@1.0.0", plain+"@1.1.0")
	// Fill the cache.
	for _, spec := range []string{scoped + "@1.1.0", plain + "@1.0.0"} {
		u.run(empty, "npx", "-y", spec)
	}
	for _, tt := range []struct {
		name, dir string
		args      []string
		version   string // that runs
	}{
		{"exact", empty, []string{"npx", "-y", scoped + "@1.1.0", "a b", "--flag", "--", "-y", "$HOME"}, "1.1.0"},
		{"exact, not to be installed", empty, []string{"npx", "--no-install", plain + "@1.0.0"}, "1.0.0"},
		{"exact, separated", empty, []string{"npx", "--yes", "--", plain + "@1.0.0", "-p"}, "1.0.0"},
		{"by package", empty, []string{"npx", "-p", scoped + "@1.1.0", "mcp-server", "x"}, "1.1.0"},
		{"by package, one word", empty, []string{"npx", "--package=" + scoped + "@1.1.0", "-y", "mcp-server", "x"}, "1.1.0"},
		{"npm exec", empty, []string{"npm", "exec", "-y", "--", scoped + "@1.1.0", "--yes"}, "1.1.0"},
		{"project, any version", project, []string{"npx", "-y", scoped, "x"}, "1.0.0"},
		{"project, from below", below, []string{"npx", scoped, "x"}, "1.0.0"},
		{"project, name of the program", below, []string{"npx", "mcp-server", "x"}, "1.0.0"},
		{"project, plain name", project, []string{"npx", plain}, "1.1.0"},
		{"project, exact", project, []string{"npx", "-y", plain + "@1.1.0"}, "1.1.0"},
		{"project has another version", below, []string{"npx", "-y", plain + "@1.0.0"}, "1.0.0"},
		{"project, by package", below, []string{"npx", "-p", scoped, "mcp-server"}, "1.0.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := &user{t, u.home, u.registry}
			want := u.run(tt.dir, tt.args...)
			if !strings.Contains(want, `"version":"`+tt.version+`"`) {
				t.Errorf("npx ran %s, want version %s", want, tt.version)
			}
			resolved, note := Resolve(tt.args, u.env(), tt.dir)
			if slices.Equal(resolved, tt.args) {
				t.Fatalf("not resolved: %s", note)
			}
			if got := u.run(tt.dir, resolved...); got != want {
				t.Errorf("got  %swant %s", got, want)
			}
		})
	}
}

// A newer version in the registry is what npx runs, unless a version was named: so nothing but npx can tell.
func TestNPXAsksForNewerVersions(t *testing.T) {
	r := newRegistry(t, "1.0.0")
	u := newUser(t, r.URL)
	empty := u.folder("empty")
	words := []string{scoped, scoped + "@latest", scoped + "@^1.0.0"}
	for _, word := range words {
		if out := u.run(empty, "npx", "-y", word); !strings.Contains(out, `"version":"1.0.0"`) {
			t.Errorf("npx ran %s", out)
		}
	}
	r.publish("1.1.0")
	for _, word := range words {
		args := []string{"npx", "-y", word}
		if resolved, _ := Resolve(args, u.env(), empty); !slices.Equal(resolved, args) {
			t.Errorf("resolved to %q", resolved)
		}
		if out := u.run(empty, args...); !strings.Contains(out, `"version":"1.1.0"`) {
			t.Errorf("npx ran %s", out)
		}
	}
}

// With the registry away npx goes by what it remembers, and runs the same.
func TestAgainstNPXWithoutRegistry(t *testing.T) {
	r := newRegistry(t, "1.0.0")
	u := newUser(t, r.URL)
	args := []string{"npx", "-y", scoped + "@1.0.0"}
	empty := u.folder("empty")
	u.run(empty, args...)
	r.Close()
	want := u.run(empty, args...)
	resolved, note := Resolve(args, u.env(), empty)
	if slices.Equal(resolved, args) {
		t.Fatal(note)
	}
	if got := u.run(empty, resolved...); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}
