// Package config reads what the user wrote: the configuration file, and the TARGET of a command.
//
// It stands at the edge, before the flow: a command turns its arguments into a Target and hands that to the probe or the
// facade. It reads files and is given the environment as a function; it contacts no server, starts nothing, and must
// never put the value of a variable, a header or a query into an error or a line for people.
//
// Servers are resolved one at a time, when they are asked for, so that a variable missing for one server is no obstacle
// to the use of another.
//
// Variables. String leaves of a server's known fields may hold ${NAME}, ${NAME:-default}, and ${env:NAME} as VS Code
// writes it; $${NAME} stands for the text ${NAME}. A variable that is set but empty counts as set for ${NAME} and as
// missing for ${NAME:-default}. What is put in is not read again, and a default cannot hold "}". The key env at the top
// of the file says where variables come from:
//
//	enable    the file .env beside the configuration, then the process's environment (the default)
//	dotenv    the file .env only
//	process   the process's environment only
//	disable   nowhere: every string stays as it is written
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/yaml"
	"anvil/internal/atomicfile"
)

// maxFile bounds a file that people write by hand, in bytes.
const maxFile = 16 << 20

// fileNames are the names Find looks for, first one first.
var fileNames = []string{"anvil.yaml", "mcp.json", ".mcp.json", "mcp.yaml", ".mcp.yaml"}

// File is a configuration file that was read. It does not change, and may be used from several goroutines at once.
type File struct {
	Path string // as given to Load
	Gate Gate
	Diff Diff
	// Serving is how facades serve the packs that are adopted with this file, as far as it says.
	Serving pack.Serving
	// Front is who may call them over HTTP.
	Front Front

	store string // learn.store, as it is written
	state string // facade.state, as it is written

	Annotations []Annotation // in the order of the file

	lines     yaml.Lines
	json      bool            // it is written as JSON
	written   map[string]bool // the sections and settings there are: diff, diff.accept
	entries   map[string]entry
	lookup    func(string) (string, bool) // nil when variables are not filled in
	dotenvErr error                       // why .env cannot be read; it matters once a variable is needed
}

// Gate holds the settings of the gate; the zero value leaves every default in force.
type Gate struct {
	MaxTools int      // how many tools a server may list; 0 when not set
	Clients  []string // ids of the clients that have to take every surface
	Accept   []Acceptance
}

// Diff holds the settings of comparisons; the zero value leaves every default in force.
type Diff struct {
	FailOn string // breaking, risky, security or any; "" when not set
	Accept []Acceptance
}

// Find returns the configuration file of dir: the first there is of anvil.yaml, mcp.json, .mcp.json, mcp.yaml and
// .mcp.yaml.
func Find(dir string) (path string, ok bool) {
	for _, name := range fileNames {
		path = filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}

// Load reads the configuration at path, YAML or JSON (comments and trailing commas allowed, as VS Code does). env looks
// up a variable of the process. Everything wrong is reported at once, each with file and line. A wrong or incomplete
// server entry is not: see [File.Server].
//
// Keys that anvil does not know at the top are refused in its own YAML file. In JSON files, mcp.yaml and .mcp.yaml, which
// other tools read as well, they are left to those tools.
func Load(path string, env func(string) (string, bool)) (*File, error) {
	src, err := atomicfile.ReadFile(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	root, lines, err := parse(src)
	if err != nil {
		return nil, placed(path, err)
	}
	f := &File{Path: path, lines: lines, json: isBraced(src), written: map[string]bool{}, entries: map[string]entry{}}
	if root.Is(canon.Null) {
		root = &canon.Node{Kind: canon.Object}
	}
	if !root.IsObject() {
		return nil, f.problem("", "the configuration must be a map")
	}
	problems := f.readTop(root)
	if err := f.chooseVariables(root.Get("env"), env); err != nil {
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return f, nil
}

// isBraced reports a text that is written as JSON, or as YAML in the style of JSON.
func isBraced(src []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(src, []byte("\ufeff")))
	return len(text) > 0 && (text[0] == '{' || text[0] == '/')
}

// IsJSON reports a file that is written as JSON, so that what is pasted into it has to be.
func (f *File) IsJSON() bool { return f.json }

// Accepts reports whether the file has the section gate or diff, and in it the list of acceptances.
func (f *File) Accepts(section string) (has, list bool) {
	return f.written[section], f.written[section+".accept"]
}

func parse(src []byte) (*canon.Node, yaml.Lines, error) {
	if isBraced(src) {
		if plain := blankComments(src); isJSON(plain) {
			src = plain
		}
	}
	json, lines, err := yaml.ToJSON(src)
	if err != nil {
		return nil, nil, err
	}
	root, err := canon.Parse(json)
	return root, lines, err
}

func isJSON(src []byte) bool {
	_, err := canon.Parse(src)
	return err == nil
}

// placed puts the file's name before an error of the parser, in the form file:line that editors can follow.
func placed(path string, err error) error {
	var at *yaml.Error
	if errors.As(err, &at) && at.Line > 0 {
		return fmt.Errorf("%s:%d: %s", path, at.Line, at.Msg)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// problem is an error about the value at pointer.
func (f *File) problem(pointer, format string, args ...any) error {
	return fmt.Errorf("%s: %s", f.place(pointer), fmt.Sprintf(format, args...))
}

func (f *File) place(pointer string) string {
	if line := f.lines.At(pointer); line > 0 {
		return fmt.Sprintf("%s:%d", f.Path, line)
	}
	return f.Path
}

// readTop reads every key at the top but env.
func (f *File) readTop(root *canon.Node) (problems []error) {
	strict := f.isOwn()
	for _, m := range root.Members {
		at := canon.Pointer(m.Name)
		switch m.Name {
		case "$schema", "env":
		case "mcpServers", "servers":
			problems = append(problems, f.addServers(m.Value, at)...)
		case "mcp":
			node, below := unwrapServers(m.Value, at)
			problems = append(problems, f.addServers(node, below)...)
		case "annotations":
			problems = append(problems, f.readAnnotations(m.Value, at)...)
		case "gate", "diff", "policy", "learn", "facade":
			problems = append(problems, f.readSection(m.Name, m.Value)...)
		default:
			if strict {
				problems = append(problems, f.problem(at, "unknown key %q; known are %s", m.Name, strings.Join(topKeys, ", ")))
			}
		}
	}
	return problems
}

var topKeys = []string{"$schema", "env", "mcpServers", "servers", "mcp", "gate", "diff", "policy", "learn", "facade", "annotations"}

// isOwn reports whether the file is anvil's alone, so that a key nobody knows is a mistake.
func (f *File) isOwn() bool {
	base := filepath.Base(f.Path)
	ext := strings.ToLower(filepath.Ext(base))
	return (ext == ".yaml" || ext == ".yml") && strings.TrimSuffix(strings.TrimPrefix(base, "."), ext) != "mcp"
}

// Lookup returns the value of a variable as the configuration sees it: see env above.
func (f *File) Lookup(name string) (string, bool) {
	if f.lookup == nil {
		return "", false
	}
	return f.lookup(name)
}

// chooseVariables sets where variables come from.
func (f *File) chooseVariables(mode *canon.Node, env func(string) (string, bool)) error {
	word := mode.Text()
	if mode == nil {
		word = "enable"
	}
	if !slices.Contains([]string{"enable", "dotenv", "process", "disable"}, word) {
		return f.problem("/env", "env must be enable, dotenv, process or disable")
	}
	if word == "disable" {
		return nil
	}
	if word == "process" {
		f.lookup = env
		return nil
	}
	values, err := readDotenv(filepath.Join(filepath.Dir(f.Path), ".env"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.dotenvErr = err
	}
	f.lookup = func(name string) (string, bool) {
		value, ok := values[name]
		if !ok && word == "enable" {
			return env(name)
		}
		return value, ok
	}
	return nil
}
