package diff

import (
	"maps"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// SchemaDelta is what differs between two schemas of a tool beside the single changes.
type SchemaDelta struct {
	Whole        subtype.Relation // of the new schema to the old one
	Old, New     schema.Size
	Compositions []string    // allOf, anyOf and oneOf that the root has now
	Remote       []Reference // that lead out of the schema now
	Recursive    string      // pointer of a reference that leads back to itself now; "" when there is none, or was one before
	Params       []Param     // that are new and worth a look
	Freed        []Param     // that were held to a set of values or a pattern and take any text now
	Bindings     []Binding   // of arguments to headers, that differ
	Untyped      bool        // the root was held to be an object in so many words, and still is one, but not in these words
	Repeated     bool        // either gives a member name twice
	Formats      bool        // either has a format, which some dialects hold values to
}

// Reference is a reference and where it stands.
type Reference struct{ Text, Pointer string }

// Param is a property of an input schema.
type Param struct {
	Name, Pointer string
	Sink          Sink
}

// Sink is what a property is good for that a reviewer has to know of.
type Sink string

// The sinks.
const (
	NoSink  Sink = ""
	Secret  Sink = "secret"  // it holds a credential
	Command Sink = "command" // it is run
	Path    Sink = "path"    // it names a file
	Address Sink = "address" // it names a host
	Query   Sink = "query"   // it is a query of a database
)

// Binding is an argument that is mirrored in a request header.
type Binding struct {
	Path     string // of the argument: "filter.tags"
	Old, New string // the header on either side, "" for none
	Secret   bool   // its name is that of a secret
}

func (v *visitor) facts() *SchemaDelta {
	d := &SchemaDelta{Old: v.old.Size, New: v.new.Size, Formats: v.old.has("format") || v.new.has("format")}
	before := v.old.remote()
	after := v.new.remote()
	for _, text := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[text]; !was {
			d.Remote = append(d.Remote, Reference{text, after[text]})
		}
	}
	if at := v.new.recursive(); at != "" && v.old.recursive() == "" {
		d.Recursive = at
	}
	if v.side == Input {
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			if v.new.root.Get(keyword) != nil && v.old.root.Get(keyword) == nil {
				d.Compositions = append(d.Compositions, keyword)
			}
		}
		d.Params, d.Freed = v.params()
		d.Bindings = bindings(v.old, v.new)
	}
	return d
}

func (t *tree) has(keyword string) bool {
	return slices.ContainsFunc(t.Schemas, func(s *schema.Schema) bool { return s.Node.Get(keyword) != nil })
}

// params finds properties of a sink that are new, or that were held to something and take any text now.
func (v *visitor) params() (come, freed []Param) {
	was := map[string]*canon.Node{}
	names := map[string]bool{}
	for _, s := range v.old.Schemas {
		if s.Role == schema.Property {
			was[s.Pointer()], names[s.Name] = s.Node, true
		}
	}
	for _, s := range v.new.Schemas {
		if s.Role != schema.Property {
			continue
		}
		sink := sinkOf(s.Name, s.Node)
		if sink == NoSink {
			continue
		}
		at := s.Pointer()
		p := Param{s.Name, v.at + at, sink}
		switch before := was[at]; {
		case before == nil && !names[s.Name]:
			come = append(come, p)
		case before != nil && isHeld(before) && sinkOf(s.Name, before) == NoSink && sink != Secret:
			freed = append(freed, p)
		}
	}
	return come, freed
}

// reachOf finds the properties of a sink in the input of a tool.
func reachOf(tool surface.Item) (found []Param) {
	const at = "/inputSchema"
	n := tool.Node.Get("inputSchema")
	if n == nil {
		return nil
	}
	for _, s := range schema.Analyse(n).Schemas {
		if s.Role != schema.Property {
			continue
		}
		if sink := sinkOf(s.Name, s.Node); sink != NoSink {
			found = append(found, Param{s.Name, at + s.Pointer(), sink})
		}
	}
	return found
}

// sinks are words that end the name of a property of free text.
var sinks = map[string]Sink{
	"command": Command, "cmd": Command, "shell": Command, "script": Command, "code": Command, "exec": Command, "expression": Command, "javascript": Command,
	"path": Path, "filepath": Path, "filename": Path, "file": Path, "directory": Path, "dir": Path, "folder": Path, "cwd": Path,
	"url": Address, "uri": Address, "endpoint": Address, "host": Address, "hostname": Address, "webhook": Address, "sql": Query,
}

// sinkOf returns what a property is good for, by its name, where it takes any text.
func sinkOf(name string, n *canon.Node) Sink {
	if n == nil || !n.IsObject() || !takesText(n) || isHeld(n) {
		return NoSink
	}
	if wording.NamesSecret(name) {
		return Secret
	}
	words := air.Words(name)
	if len(words) == 0 {
		return NoSink
	}
	return sinks[words[len(words)-1]]
}

func takesText(n *canon.Node) bool {
	t := n.Get("type")
	return t == nil && !holds(n, []string{"properties", "items", "$ref", "anyOf", "oneOf", "allOf"}) ||
		slices.ContainsFunc(elements(t), func(item *canon.Node) bool { return item.Text() == "string" })
}

// isHeld reports a schema that takes some texts only.
func isHeld(n *canon.Node) bool { return holds(n, []string{"enum", "const", "pattern"}) }

// bindings compares which arguments two schemas mirror in request headers.
func bindings(a, b *tree) []Binding {
	old, now := headers(a), headers(b)
	var found []Binding
	paths := maps.Clone(old)
	maps.Copy(paths, now)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if old[path] != now[path] {
			found = append(found, Binding{path, old[path], now[path], wording.NamesSecret(path) || wording.NamesSecret(now[path])})
		}
	}
	return found
}

func headers(t *tree) map[string]string {
	of := map[string]string{}
	if !t.has(schema.HeaderKeyword) {
		return of
	}
	list, _ := t.Analysis.Bindings()
	for _, b := range list {
		of[strings.Join(b.Path(), ".")] = b.Header
	}
	return of
}
