package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// entry is a server as the file has it, and where.
type entry struct {
	node    *canon.Node
	pointer string
}

// unwrapServers returns the map of servers in the value of "mcp": the value itself, or its member "servers" where that is
// a map of entries and not an entry called servers.
func unwrapServers(mcp *canon.Node, at string) (servers *canon.Node, pointer string) {
	inner := mcp.Get("servers")
	if !inner.IsObject() {
		return mcp, at
	}
	for _, field := range []string{"command", "url", "transport", "type"} {
		if v := inner.Get(field); v != nil && !v.IsObject() {
			return mcp, at
		}
	}
	return inner, at + "/servers"
}

func (f *File) addServers(servers *canon.Node, at string) (problems []error) {
	if servers.Is(canon.Null) {
		return nil
	}
	if !servers.IsObject() {
		return []error{f.problem(at, "%s must be a map from a server's name to its settings", strings.TrimPrefix(at, "/"))}
	}
	for _, m := range servers.Members {
		below := at + canon.Pointer(m.Name)
		if first, ok := f.entries[m.Name]; ok {
			problems = append(problems, f.problem(below, "server %q is already given at %s", m.Name, f.place(first.pointer)))
			continue
		}
		f.entries[m.Name] = entry{m.Value, below}
	}
	return problems
}

// Names returns the names of all servers, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.entries)) }

// Server returns the server called name with its variables filled in and its folder absolute. Everything wrong with the
// entry is reported at once with file and line, and so is every variable that is missing. The error for a name that is
// not there lists those that are.
func (f *File) Server(name string) (Server, error) {
	e, ok := f.entries[name]
	if !ok {
		return Server{}, fmt.Errorf("no server %q in %s; %s", name, f.Path, f.listNames())
	}
	r := entryReader{file: f, name: name, at: e.pointer}
	written := r.read(e.node)
	written.Name = name
	server := r.fill(written)
	if len(r.problems) == 0 {
		r.settle(&server)
	}
	if err := errors.Join(r.problems...); err != nil {
		return Server{}, err
	}
	server.Shown = written.asWritten()
	if f.lookup == nil {
		written = written.escaped()
	}
	written.Transport, written.Dir = server.Transport, server.Dir
	server.written = &written
	return server, nil
}

func (f *File) listNames() string {
	if len(f.entries) == 0 {
		return "it names no servers"
	}
	return "it has " + strings.Join(f.Names(), ", ")
}

// entryReader turns one entry into a Server and collects what is wrong with it.
type entryReader struct {
	file     *File
	name, at string
	problems []error
}

func (r *entryReader) report(pointer, format string, args ...any) {
	r.problems = append(r.problems, r.file.problem(r.at+pointer, "server %q: %s", r.name, fmt.Sprintf(format, args...)))
}

// read takes the known fields as they are written; what else there is goes to Extra.
func (r *entryReader) read(n *canon.Node) (s Server) {
	if !n.IsObject() {
		r.report("", "its settings must be a map")
		return s
	}
	for _, m := range n.Members {
		if m.Value.Is(canon.Null) {
			continue // as good as absent, as other readers of these files have it
		}
		at := canon.Pointer(m.Name)
		switch m.Name {
		case "type", "transport":
			word := r.text(m.Value, at)
			if s.Transport != "" && s.Transport != word {
				r.report(at, "type and transport differ; give one")
			}
			s.Transport = word
		case "command":
			s.Command = r.text(m.Value, at)
		case "cwd":
			s.Dir = r.text(m.Value, at)
		case "url":
			s.URL = r.text(m.Value, at)
		case "args":
			s.Args = r.list(m.Value, at)
		case "env":
			s.Env = r.table(m.Value, at)
		case "headers":
			s.Headers = r.table(m.Value, at)
		case "plugin":
			if !m.Value.Is(canon.String) && !r.file.isOwn() { // another tool's
				s.keep(m)
				continue
			}
			s.Plugin = r.text(m.Value, at)
		default:
			s.keep(m)
		}
	}
	return s
}

// keep puts a member that anvil does not know aside.
func (s *Server) keep(m canon.Member) {
	if s.Extra == nil {
		s.Extra = map[string]canon.Raw{}
	}
	s.Extra[m.Name] = canon.Raw(m.Value.Raw)
}

// text reads a string. A number or a boolean is taken as it is spelled: people write PORT: 8080 and mean the text.
func (r *entryReader) text(n *canon.Node, at string) string {
	switch n.Kind {
	case canon.String:
		return n.Text()
	case canon.Number, canon.True, canon.False:
		return string(n.Raw)
	}
	r.report(at, "%s must be a string", fieldName(at))
	return ""
}

func (r *entryReader) list(n *canon.Node, at string) []string {
	if !n.IsArray() {
		r.report(at, "%s must be a list of strings", fieldName(at))
		return nil
	}
	out := make([]string, len(n.Items))
	for i, item := range n.Items {
		out[i] = r.text(item, at+"/"+strconv.Itoa(i))
	}
	return out
}

func (r *entryReader) table(n *canon.Node, at string) map[string]string {
	if !n.IsObject() {
		r.report(at, "%s must be a map of strings", fieldName(at))
		return nil
	}
	out := make(map[string]string, len(n.Members))
	for _, m := range n.Members {
		out[m.Name] = r.text(m.Value, at+canon.Pointer(m.Name))
	}
	return out
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// fieldName is a pointer within an entry, for people: /env/TOKEN is env.TOKEN, /args/0 is args[0].
func fieldName(pointer string) string {
	field, rest, nested := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	switch {
	case !nested:
		return field
	case field == "args":
		return field + "[" + rest + "]"
	}
	return field + "." + unescapePointer.Replace(rest)
}

// settle checks the filled-in fields against each other and brings transport and folder into their final form.
func (r *entryReader) settle(s *Server) {
	transport, err := normalTransport(s.Transport)
	if err != nil {
		r.report("/"+r.transportKey(), "its %s is none of stdio, http and sse", r.transportKey()) // and may be a variable's value
	}
	switch {
	case s.Command != "" && s.URL != "":
		r.report("/url", "it has both a command and a url; give one")
	case s.Command == "" && s.URL == "":
		r.report("", "it has neither a command nor a url; give one")
	case s.Command != "" && transport != "" && transport != Stdio:
		r.report("/"+r.transportKey(), "transport %s needs a url, not a command", transport)
	case s.URL != "" && transport == Stdio:
		r.report("/"+r.transportKey(), "transport stdio needs a command, not a url")
	}
	if s.URL != "" {
		if err := checkURL(s.URL); err != nil {
			r.report("/url", "%v", err)
		}
	}
	r.checkHeaders(s.Headers)
	if s.Command != "" && transport == "" {
		transport = Stdio
	}
	s.Transport = transport
	if s.Dir != "" && !filepath.IsAbs(s.Dir) {
		s.Dir = filepath.Join(filepath.Dir(r.file.Path), s.Dir)
	}
	if s.Dir != "" {
		if abs, err := filepath.Abs(s.Dir); err == nil {
			s.Dir = abs
		}
	}
}

func (r *entryReader) transportKey() string {
	if r.file.entries[r.name].node.Get("transport") != nil {
		return "transport"
	}
	return "type"
}
