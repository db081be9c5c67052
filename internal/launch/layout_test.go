package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const cachedSpec = scoped + "@1.2.3"

// layCache lays out npx's cache of cachedSpec as npm does; TestAgainstNPX sees the real one.
func layCache(u *user) (folder []string) {
	u.t.Helper()
	folder = []string{".npm", "_npx", cacheKey(cachedSpec)}
	in := func(names ...string) []string { return append(slices.Clone(folder), names...) }
	u.write(`{"dependencies": {"`+scoped+`": "^1.2.3"}, "_npx": {"packages": ["`+cachedSpec+`"]}}`, 0o644, in("package.json")...)
	u.write(`{"name": "`+scoped+`", "version": "1.2.3", "bin": {"mcp-server": "bin/cli.js"}}`, 0o644, in("node_modules", scoped, "package.json")...)
	u.write(program, 0o755, in("node_modules", scoped, "bin", "cli.js")...)
	u.link("../"+scoped+"/bin/cli.js", in("node_modules", ".bin", "mcp-server")...)
	return folder
}

// link makes a symbolic link, in the place of what was there.
func (u *user) link(to string, names ...string) {
	u.t.Helper()
	path := filepath.Join(u.folder(names[:len(names)-1]...), names[len(names)-1])
	if err := os.RemoveAll(path); err != nil {
		u.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		u.t.Fatal(err)
	}
}

func TestCacheLayouts(t *testing.T) {
	const manifest = `{"name": "` + scoped + `", "version": "1.2.3", "bin": `
	description := []string{"node_modules", scoped, "package.json"}
	for _, tt := range []struct {
		name   string
		change func(u *user, in func(...string) []string)
		want   bool
	}{
		{"as npm does it", func(*user, func(...string) []string) {}, true},
		{"one program as a string", func(u *user, in func(...string) []string) {
			u.write(manifest+`"./bin/cli.js"}`, 0o644, in(description...)...)
		}, true},
		{"two names of one program", func(u *user, in func(...string) []string) {
			u.write(manifest+`{"mcp-server": "bin/cli.js", "other": "./bin/cli.js"}}`, 0o644, in(description...)...)
		}, true},
		{"two programs, none of its name", func(u *user, in func(...string) []string) {
			u.write(manifest+`{"a": "bin/cli.js", "b": "package.json"}}`, 0o644, in(description...)...)
		}, false},
		{"no package.json", func(u *user, in func(...string) []string) { os.Remove(u.write("", 0o644, in(description...)...)) }, false},
		{"package.json that is no JSON", func(u *user, in func(...string) []string) { u.write(`name: x`, 0o644, in(description...)...) }, false},
		{"package.json that is no object", func(u *user, in func(...string) []string) { u.write(`["`+scoped+`"]`, 0o644, in(description...)...) }, false},
		{"package.json that is a folder", func(u *user, in func(...string) []string) {
			os.Remove(filepath.Join(u.folder(in("node_modules", scoped)...), "package.json"))
			u.folder(in(description...)...)
		}, false},
		{"cache without package.json", func(u *user, in func(...string) []string) { os.Remove(u.write("", 0o644, in("package.json")...)) }, false},
		{"cache with a broken package.json", func(u *user, in func(...string) []string) { u.write("{", 0o644, in("package.json")...) }, false},
		{"another version", func(u *user, in func(...string) []string) {
			u.write(strings.Replace(manifest, "1.2.3", "1.2.4", 1)+`"bin/cli.js"}`, 0o644, in(description...)...)
		}, false},
		{"another package", func(u *user, in func(...string) []string) {
			u.write(strings.Replace(manifest, "@demo", "@evil", 1)+`"bin/cli.js"}`, 0o644, in(description...)...)
		}, false},
		{"another spelling of name", func(u *user, in func(...string) []string) {
			u.write(`{"Name": "`+scoped+`", "version": "1.2.3", "bin": "bin/cli.js"}`, 0o644, in(description...)...)
		}, false},
		{"program with ..", func(u *user, in func(...string) []string) {
			u.write(manifest+`"../../../../../evil"}`, 0o644, in(description...)...)
		}, false},
		{"program with .. inside", func(u *user, in func(...string) []string) {
			u.write(manifest+`{"mcp-server": "bin/../../../x"}}`, 0o644, in(description...)...)
		}, false},
		{"program by absolute path", func(u *user, in func(...string) []string) {
			u.write(manifest+`"/bin/sh"}`, 0o644, in(description...)...)
		}, false},
		{"program that is a number", func(u *user, in func(...string) []string) {
			u.write(manifest+`{"mcp-server": 1}}`, 0o644, in(description...)...)
		}, false},
		{"program with a path for a name", func(u *user, in func(...string) []string) {
			u.write(manifest+`{"../mcp-server": "bin/cli.js"}}`, 0o644, in(description...)...)
		}, false},
		{"folder of programs", func(u *user, in func(...string) []string) {
			u.write(manifest+`"bin/cli.js", "directories": {"bin": "bin"}}`, 0o644, in(description...)...)
		}, false},
		{"entry leads out of the cache", func(u *user, in func(...string) []string) {
			u.link(u.write(program, 0o755, "evil"), in("node_modules", ".bin", "mcp-server")...)
		}, false},
		{"entry leads to another package", func(u *user, in func(...string) []string) {
			u.write(program, 0o755, in("node_modules", "evil", "cli.js")...)
			u.link("../evil/cli.js", in("node_modules", ".bin", "mcp-server")...)
		}, false},
		{"entry is a loop", func(u *user, in func(...string) []string) {
			u.link("mcp-server", in("node_modules", ".bin", "mcp-server")...)
		}, false},
		{"program leads out of the cache", func(u *user, in func(...string) []string) {
			u.link(u.write(program, 0o755, "evil"), in("node_modules", scoped, "bin", "cli.js")...)
		}, false},
		{"package leads out of the cache", func(u *user, in func(...string) []string) {
			u.write(manifest+`"cli.js"}`, 0o644, "evil", "package.json")
			u.write(program, 0o755, "evil", "cli.js")
			u.link(filepath.Join(u.home, "evil"), in("node_modules", scoped)...)
			u.link("../"+scoped+"/cli.js", in("node_modules", ".bin", "mcp-server")...)
		}, false},
		{"not executable", func(u *user, in func(...string) []string) {
			os.Chmod(filepath.Join(u.folder(in("node_modules", scoped, "bin")...), "cli.js"), 0o644)
		}, false},
		{"no interpreter named", func(u *user, in func(...string) []string) {
			u.write("echo hello", 0o755, in("node_modules", scoped, "bin", "cli.js")...)
		}, false},
		{"another node in the cache", func(u *user, in func(...string) []string) {
			u.write(program, 0o755, in("node_modules", ".bin", "node")...)
		}, false},
		{"another node in the project", func(u *user, _ func(...string) []string) { u.write("", 0o755, "node_modules", ".bin", "node") }, false},
		{"being installed", func(u *user, in func(...string) []string) { u.folder(in("concurrency.lock")...) }, false},
		{"cache elsewhere by .npmrc", func(u *user, _ func(...string) []string) { u.write("cache=/elsewhere\n", 0o644, ".npmrc") }, false},
		{"prefix elsewhere by .npmrc of the project", func(u *user, _ func(...string) []string) { u.write("prefix=/elsewhere\n", 0o644, "work", ".npmrc") }, false},
		{"harmless .npmrc", func(u *user, _ func(...string) []string) {
			u.write("; mine\n@demo:registry=http://127.0.0.1/\n//127.0.0.1/:_authToken=x\nfund = false\n", 0o644, ".npmrc")
		}, true},
		{"in the project too", func(u *user, _ func(...string) []string) {
			u.write(manifest+`"bin/cli.js"}`, 0o644, "work", "node_modules", scoped, "package.json")
		}, false},
		{"another version in the project", func(u *user, _ func(...string) []string) {
			u.write(`{"name": "`+scoped+`", "version": "0.1.0"}`, 0o644, "work", "node_modules", scoped, "package.json")
		}, true},
		{"deep in the project", func(u *user, _ func(...string) []string) {
			u.folder("work", "node_modules", "@a", "b", "node_modules", scoped)
		}, false},
		{"in the project by another name", func(u *user, _ func(...string) []string) {
			u.write(`{"packages": {"node_modules/old": {"name": "`+scoped+`"}}}`, 0o644, "work", "node_modules", ".package-lock.json")
		}, false},
		{"above the project", func(u *user, _ func(...string) []string) {
			u.write(`{}`, 0o644, "work", "package.json")
			u.folder("node_modules", scoped)
		}, false},
		{"the project itself", func(u *user, _ func(...string) []string) {
			u.write(`{"name": "`+scoped+`"}`, 0o644, "work", "package.json")
		}, false},
		{"a broken project", func(u *user, _ func(...string) []string) { u.write(`{`, 0o644, "work", "package.json") }, false},
		{"a workspace", func(u *user, _ func(...string) []string) {
			u.write(`{}`, 0o644, "work", "package.json")
			u.write(`{"workspaces": ["work"]}`, 0o644, "package.json")
		}, false},
		{"a file of that name in the way", func(u *user, _ func(...string) []string) {
			u.write(program, 0o755, "work", "node_modules", ".bin", "@demo", "mcp-server@1.2.3")
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUser(t, "")
			folder := layCache(u)
			tt.change(u, func(names ...string) []string { return append(slices.Clone(folder), names...) })
			args := []string{"npx", "-y", cachedSpec, "x"}
			want := args
			if tt.want {
				want = []string{filepath.Join(u.folder(folder...), "node_modules", ".bin", "mcp-server"), "x"}
			}
			if got, note := Resolve(args, u.env(), u.folder("work")); !slices.Equal(got, want) || note == "" {
				t.Errorf("got %q, want %q; note: %s", got, want, note)
			}
		})
	}
}

func TestProjectPrograms(t *testing.T) {
	for _, tt := range []struct {
		name string
		lay  func(u *user)
		word string
		want string // below home; empty when npx decides
	}{
		{"in the folder", func(u *user) { u.write(program, 0o755, "work", "node_modules", ".bin", "tool") }, "tool", "work/node_modules/.bin/tool"},
		{"in a folder above", func(u *user) {
			u.write(program, 0o755, "node_modules", ".bin", "tool")
			u.write(`{}`, 0o644, "work", "package.json")
		}, "tool", "node_modules/.bin/tool"},
		{"the nearest", func(u *user) {
			u.write(program, 0o755, "node_modules", ".bin", "tool")
			u.write(program, 0o755, "work", "node_modules", ".bin", "tool")
		}, "tool", "work/node_modules/.bin/tool"},
		{"leads out of the project", func(u *user) {
			u.link(u.write(program, 0o755, "evil"), "work", "node_modules", ".bin", "tool")
		}, "tool", ""},
		{"not executable", func(u *user) { u.write(program, 0o644, "work", "node_modules", ".bin", "tool") }, "tool", ""},
		{"a folder", func(u *user) { u.folder("work", "node_modules", ".bin", "tool") }, "tool", ""},
		{"the project's own", func(u *user) {
			u.write(program, 0o755, "work", "node_modules", ".bin", "tool")
			u.write(`{"name": "p", "bin": {"tool": "x.js"}}`, 0o644, "work", "package.json")
		}, "tool", ""},
		{"another layout", func(u *user) {
			u.folder("work", "node_modules", ".pnpm")
			u.write(`{"name": "@a/tool", "version": "1.0.0", "bin": "x.js"}`, 0o644, "work", "node_modules", "@a", "tool", "package.json")
		}, "@a/tool", ""},
		{"nowhere", func(*user) {}, "tool", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUser(t, "")
			tt.lay(u)
			args := []string{"npx", tt.word, "x"}
			want := args
			if tt.want != "" {
				want = []string{filepath.Join(u.home, tt.want), "x"}
			}
			if got, note := Resolve(args, u.env(), u.folder("work")); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q; note: %s", got, want, note)
			}
		})
	}
}

func TestCommandLines(t *testing.T) {
	u := newUser(t, "")
	entry := filepath.Join(u.folder(layCache(u)...), "node_modules", ".bin", "mcp-server")
	work := u.folder("work")
	for _, tt := range []struct {
		args string
		want string // what comes behind the program; "-" when npx decides
	}{
		{"npx " + cachedSpec, ""},
		{"npx -y " + cachedSpec + " -y --help -- a", "-y --help -- a"},
		{"npx --yes --no-install -- " + cachedSpec + " -- a", "-- a"},
		{"npx -p " + cachedSpec + " mcp-server a", "a"},
		{"npx -p=" + cachedSpec + " -- mcp-server a", "a"},
		{"npx --package " + cachedSpec + " -y mcp-server a", "a"},
		{"npm exec -- " + cachedSpec + " a", "a"},
		{"npm exec --yes --package=" + cachedSpec + " -- mcp-server a", "a"},
		{"npx", "-"},
		{"npx -y", "-"},
		{"npx -y --", "-"},
		{"npx -p " + cachedSpec, "-"},
		{"npx -p", "-"},
		{"npx -p " + cachedSpec + " -p other mcp-server", "-"},
		{"npx -p " + cachedSpec + " other", "-"},
		{"npx -p " + cachedSpec + " ./mcp-server", "-"},
		{"npx -c mcp-server", "-"},
		{"npx -q " + cachedSpec, "-"},
		{"npx --quiet " + cachedSpec, "-"},
		{"npx --yes=false " + cachedSpec, "-"},
		{"npx --prefer-offline " + cachedSpec, "-"},
		{"npx --registry http://127.0.0.1/ " + cachedSpec, "-"},
		{"npx " + scoped, "-"},
		{"npx " + scoped + "@latest", "-"},
		{"npx " + scoped + "@^1.2.3", "-"},
		{"npx " + scoped + "@1.2", "-"},
		{"npx " + scoped + "@v1.2.3", "-"},
		{"npx " + scoped + "@1.2.3+build", "-"},
		{"npx " + scoped + "@", "-"},
		{"npx " + scoped + "@1.2.4", "-"},
		{"npx x@npm:" + cachedSpec, "-"},
		{"npx ./server", "-"},
		{"npx ..", "-"},
		{"npx demo/mcp-server", "-"},
		{"npx github:demo/mcp-server", "-"},
		{"npx server.tgz", "-"},
		{"npx @demo/../x@1.2.3", "-"},
		{"npm exec " + cachedSpec, "-"},
		{"npm exec -p " + cachedSpec + " -- mcp-server", "-"},
		{"npm exec --no-install -- " + cachedSpec, "-"},
		{"npm exec", "-"},
	} {
		args := strings.Fields(tt.args)
		want := args
		if tt.want != "-" {
			want = append([]string{entry}, strings.Fields(tt.want)...)
		}
		got, note := Resolve(args, u.env(), work)
		if !slices.Equal(got, want) || note == "" {
			t.Errorf("%s\ngot  %q\nwant %q\nnote %s", tt.args, got, want, note)
		}
	}
	for _, other := range []string{"", "uvx x", "node npx", "npm", "npm run x", "pnpm dlx x", "bunx " + cachedSpec, "docker run npx"} {
		args := strings.Fields(other)
		if got, note := Resolve(args, u.env(), work); !slices.Equal(got, args) || note != "" {
			t.Errorf("%q: got %q, note %q", other, got, note)
		}
	}
}

func TestEnvironments(t *testing.T) {
	u := newUser(t, "")
	layCache(u)
	elsewhere := &user{t, u.folder("elsewhere"), ""}
	layCache(elsewhere)
	u.folder("other", "node_modules")
	fake := u.write("#!/bin/sh\n", 0o755, "fake", "npx")
	u.link("/bin/sh", "bare", "sh")
	for _, tt := range []struct {
		name string
		env  []string
		want string // the home whose cache is used, empty when npx decides
	}{
		{"home", nil, u.home},
		{"cache", []string{"npm_config_cache=" + elsewhere.home + "/.npm"}, elsewhere.home},
		{"CACHE", []string{"NPM_CONFIG_CACHE=" + elsewhere.home + "/.npm/"}, elsewhere.home},
		{"both, equal", []string{"NPM_CONFIG_CACHE=" + elsewhere.home + "/.npm", "npm_config_cache=" + elsewhere.home + "/.npm"}, elsewhere.home},
		{"both, different", []string{"NPM_CONFIG_CACHE=" + elsewhere.home + "/.npm", "npm_config_cache=" + u.home + "/.npm"}, ""},
		{"relative cache", []string{"npm_config_cache=../elsewhere/.npm"}, elsewhere.home},
		{"empty cache", []string{"npm_config_cache="}, u.home},
		{"cache to expand", []string{"npm_config_cache=~/.npm"}, ""},
		{"cache with a variable", []string{"npm_config_cache=${HOME}/.npm"}, ""},
		{"harmless", []string{"NPM_CONFIG_LOGLEVEL=silent", "npm_config_update-notifier=false"}, u.home},
		{"another setting", []string{"npm_config_prefix=/x"}, ""},
		{"call", []string{"npm_config_call=ls"}, ""},
		{"packages", []string{"NPM_CONFIG_PACKAGE=x"}, ""},
		{"configuration elsewhere", []string{"NPM_CONFIG_USERCONFIG=/x"}, ""},
		{"PREFIX", []string{"PREFIX=/x"}, ""},
		{"DESTDIR", []string{"DESTDIR=/x"}, ""},
		{"relative home", []string{"HOME=x"}, ""},
		{"another npx", []string{"PATH=" + filepath.Dir(fake) + ":" + os.Getenv("PATH")}, ""},
		{"no npx", []string{"PATH=" + filepath.Join(u.home, "bare")}, ""},
		{"no PATH", []string{"PATH="}, ""},
		{"no home", []string{"HOME="}, ""},
	} {
		args := []string{"npx", "-y", cachedSpec}
		want := args
		if tt.want != "" {
			want = []string{filepath.Join(tt.want, ".npm", "_npx", cacheKey(cachedSpec), "node_modules", ".bin", "mcp-server")}
		}
		if got, note := Resolve(args, append(u.env(), tt.env...), u.folder("work")); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q\nnote %s", tt.name, got, want, note)
		}
	}
	if got, note := Resolve([]string{"npx", cachedSpec}, nil, u.home); len(got) != 2 || note == "" {
		t.Errorf("without an environment: got %q, %s", got, note)
	}
}
