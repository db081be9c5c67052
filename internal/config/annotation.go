package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Annotation is an entry of the section annotations: what a person states of one tool of one server. Its overlay names no operation yet, since
// the file knows none.
type Annotation struct {
	Server, Tool string
	Overlay      air.Overlay
	Pointer      string // of the entry in the file
}

// annotationKeys are the keys of an entry.
var annotationKeys = []string{"effect", "risk", "idempotency", "reversible", "confirm", "humanApproval", "query", "owner", "tags", "alias", "description", "deny", "reason", "by", "seen"}

// Place returns file and line of the value at a JSON pointer, for what is wrong with it.
func (f *File) Place(pointer string) string { return f.place(pointer) }

// readAnnotations reads the section annotations: {SERVER: {TOOL: {...}}}.
func (f *File) readAnnotations(section *canon.Node, at string) (problems []error) {
	f.written["annotations"] = true
	servers, problems := f.mapAt(section, at, "annotations must be a map from a server's name to its tools")
	for _, server := range servers {
		below := at + canon.Pointer(server.Name)
		tools, wrong := f.mapAt(server.Value, below, "annotations of a server must be a map from a tool's name to what is stated of it")
		problems = append(problems, wrong...)
		for _, tool := range tools {
			r := annotationReader{file: f, at: below + canon.Pointer(tool.Name)}
			r.read(tool.Value)
			problems = append(problems, r.problems...)
			r.overlay.SourceRef = filepath.Base(f.Path) + "#" + r.at
			f.Annotations = append(f.Annotations, Annotation{server.Name, tool.Name, r.overlay, r.at})
		}
	}
	return problems
}

// mapAt returns the members of a map; null is an empty one.
func (f *File) mapAt(n *canon.Node, at, want string) ([]canon.Member, []error) {
	switch {
	case n.Is(canon.Null):
		return nil, nil
	case !n.IsObject():
		return nil, []error{f.problem(at, "%s", want)}
	}
	return n.Members, nil
}

// annotationReader turns one entry into an overlay and collects what is wrong with it.
type annotationReader struct {
	file     *File
	at       string
	overlay  air.Overlay
	problems []error
}

func (r *annotationReader) report(key, format string, args ...any) {
	r.problems = append(r.problems, r.file.problem(r.at+canon.Pointer(key), format, args...))
}

func (r *annotationReader) read(entry *canon.Node) {
	members, wrong := r.file.mapAt(entry, r.at, "an annotation must be a map; known keys are "+strings.Join(annotationKeys, ", "))
	r.problems = append(r.problems, wrong...)
	v := &r.overlay
	for _, m := range members {
		switch m.Name {
		case "effect":
			v.Effect = air.EffectKind(r.word(m))
		case "risk":
			v.Risk = air.Risk(r.word(m))
		case "idempotency":
			v.Idempotency, v.Key = r.idempotency(m)
		case "reversible":
			v.Reversible = r.bool(m)
		case "confirm":
			v.Confirm = r.bool(m)
		case "humanApproval":
			v.HumanApproval = r.bool(m)
		case "query":
			v.Query = air.QueryAllowance(r.word(m))
		case "deny":
			deny := r.bool(m)
			v.Deny = deny != nil && *deny
		case "owner":
			v.Owner = r.owner(m)
		case "tags":
			v.Tags = r.tags(m)
		case "alias":
			v.Alias = r.alias(m)
		case "description":
			v.Description = r.text(m)
		case "reason":
			v.Reason = r.text(m)
		case "by":
			if v.By = r.text(m); diag.Legible(v.By) && !diag.Plain(v.By) {
				r.report(m.Name, "by \"%s\" does not show as it is, and could pass for another name: leave out what is an escape here, and blanks at the ends", diag.Printable(v.By))
			}
		case "seen":
			if v.Seen = r.text(m); v.Seen != "" && !canon.IsDigest(v.Seen) {
				r.report(m.Name, "seen must be the digest that anvil prints for the tool, sha256: and 64 digits; `anvil mcp review PACK` shows it")
			}
		default:
			r.report(m.Name, "unknown key %q in annotations; known are %s", m.Name, strings.Join(annotationKeys, ", "))
		}
	}
}

// word reads one of an enumeration.
func (r *annotationReader) word(m canon.Member) string {
	text, _ := m.Value.Str()
	if known := air.OverlayWords(m.Name); !slices.Contains(known, text) {
		r.report(m.Name, "%s must be one of %s", m.Name, strings.Join(known, ", "))
		return ""
	}
	return text
}

// idempotency reads a mode, or {mode, key} where it takes a key: key names the argument that carries it.
func (r *annotationReader) idempotency(m canon.Member) (mode air.IdempotencyMode, key string) {
	if !m.Value.IsObject() {
		return air.IdempotencyMode(r.word(m)), ""
	}
	mode, key = air.IdempotencyMode(m.Value.Get("mode").Text()), m.Value.Get("key").Text()
	if len(m.Value.Members) != 2 || !mode.Keyed() || !diag.Legible(key) {
		r.report(m.Name, "idempotency must be a mode, or {mode: key_supported, key: ARGUMENT} or {mode: required, key: ARGUMENT}")
		return "", ""
	}
	return mode, key
}

func (r *annotationReader) bool(m canon.Member) *bool {
	value, ok := m.Value.Bool()
	if !ok {
		r.report(m.Name, "%s must be true or false", m.Name)
		return nil
	}
	return &value
}

func (r *annotationReader) text(m canon.Member) string {
	text, ok := m.Value.Str()
	if !ok || !diag.Legible(text) {
		r.report(m.Name, "%s must be a text that says something; leave it out otherwise", m.Name)
	}
	return text
}

// owner reads a team's name, or {id, kind} with the kind person or team.
func (r *annotationReader) owner(m canon.Member) air.Owner {
	if id, ok := m.Value.Str(); ok && diag.Legible(id) {
		return air.Owner{ID: id, Kind: air.OwnerTeam}
	}
	owner := air.Owner{ID: m.Value.Get("id").Text(), Kind: air.OwnerKind(m.Value.Get("kind").Text())}
	known := owner.Kind == air.OwnerPerson || owner.Kind == air.OwnerTeam
	if !m.Value.IsObject() || len(m.Value.Members) != 2 || !diag.Legible(owner.ID) || !known {
		r.report(m.Name, "owner must be the name of a team, or {id: NAME, kind: person} or {id: NAME, kind: team}")
		return air.Owner{}
	}
	return owner
}

func (r *annotationReader) tags(m canon.Member) []string {
	tags, ok := textList(m.Value)
	if !ok || slices.ContainsFunc(tags, func(t string) bool { return !diag.Legible(t) }) {
		r.report(m.Name, "tags must be a list of texts")
		return nil
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// command is the shape of a word that names an operation on a command line.
var command = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func (r *annotationReader) alias(m canon.Member) string {
	alias, _ := m.Value.Str()
	if !command.MatchString(alias) || len(alias) > 96 {
		r.report(m.Name, "alias must be a word for a command line: lower-case letters, digits and single dashes, such as find-refund")
		return ""
	}
	return alias
}
