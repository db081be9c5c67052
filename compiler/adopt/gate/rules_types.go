package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// wanted is what the protocol has a member be.
type wanted struct {
	words string
	holds func(*canon.Node) bool
}

var (
	text      = wanted{"text", func(n *canon.Node) bool { return n.Is(canon.String) }}
	object    = wanted{"an object", (*canon.Node).IsObject}
	list      = wanted{"a list", (*canon.Node).IsArray}
	number    = wanted{"a number", func(n *canon.Node) bool { return n.Is(canon.Number) }}
	whole     = wanted{"a whole number", func(n *canon.Node) bool { _, ok := n.Int(); return ok }}
	trueFalse = wanted{"true or false", func(n *canon.Node) bool { return n.Is(canon.True) || n.Is(canon.False) }}
)

func oneOf(words ...string) wanted {
	return wanted{"one of " + quoteAll(words), func(n *canon.Node) bool { return n.Is(canon.String) && slices.Contains(words, n.Text()) }}
}

// member is a place in an item and what stands there: names of members, "[]" for each element of a list, "*" for each member of an object.
type member struct {
	place string
	wants wanted
}

// typedMembers are the members to which the protocol gives a type, in MCP 2025-11-25 or 2026-07-28 (schema.ts of both); older revisions have some of
// them, as introduced says, and no others. What malformed-item and root-not-object look at is theirs: the name of an item, and inputSchema. What
// stands in a schema is no member of the protocol's.
var typedMembers = map[surface.Kind][]member{
	surface.Tool: slices.Concat(described, iconed, []member{
		{"outputSchema", object},
		{"annotations", object}, {"annotations/title", text}, {"annotations/readOnlyHint", trueFalse}, {"annotations/destructiveHint", trueFalse},
		{"annotations/idempotentHint", trueFalse}, {"annotations/openWorldHint", trueFalse},
		{"execution", object}, {"execution/taskSupport", oneOf("forbidden", "optional", "required")},
	}),
	surface.Resource:         slices.Concat(described, iconed, annotated, []member{{"name", text}, {"mimeType", text}, {"size", whole}}),
	surface.ResourceTemplate: slices.Concat(described, iconed, annotated, []member{{"name", text}, {"mimeType", text}}),
	surface.Prompt: slices.Concat(described, iconed, []member{
		{"arguments", list}, {"arguments/[]", object}, {"arguments/[]/name", text}, {"arguments/[]/title", text},
		{"arguments/[]/description", text}, {"arguments/[]/required", trueFalse},
	}),
}

var (
	described = []member{{"title", text}, {"description", text}, {"_meta", object}}
	iconed    = []member{
		{"icons", list}, {"icons/[]", object}, {"icons/[]/src", text}, {"icons/[]/mimeType", text},
		{"icons/[]/sizes", list}, {"icons/[]/sizes/[]", text}, {"icons/[]/theme", oneOf("light", "dark")},
	}
	annotated = []member{
		{"annotations", object}, {"annotations/audience", list}, {"annotations/audience/[]", oneOf("user", "assistant")},
		{"annotations/priority", number}, {"annotations/lastModified", text},
	}
)

// typedServer is the same of what a server says of itself.
var typedServer = slices.Concat([]member{
	{"instructions", text},
	{"serverInfo", object}, {"serverInfo/name", text}, {"serverInfo/version", text}, {"serverInfo/title", text},
	{"serverInfo/description", text}, {"serverInfo/websiteUrl", text},
	{"capabilities", object},
	{"capabilities/tools", object}, {"capabilities/tools/listChanged", trueFalse},
	{"capabilities/prompts", object}, {"capabilities/prompts/listChanged", trueFalse},
	{"capabilities/resources", object}, {"capabilities/resources/listChanged", trueFalse}, {"capabilities/resources/subscribe", trueFalse},
	{"capabilities/logging", object}, {"capabilities/completions", object},
	{"capabilities/experimental", object}, {"capabilities/experimental/*", object},
	{"capabilities/extensions", object}, {"capabilities/extensions/*", object},
	{"capabilities/tasks", object}, {"capabilities/tasks/list", object}, {"capabilities/tasks/cancel", object},
	{"capabilities/tasks/requests", object}, {"capabilities/tasks/requests/tools", object}, {"capabilities/tasks/requests/tools/call", object},
}, below("serverInfo", iconed))

func below(place string, members []member) []member {
	moved := slices.Clone(members)
	for i := range moved {
		moved[i].place = place + "/" + moved[i].place
	}
	return moved
}

// checkWrongTypes reports each member of another type than the protocol's. What stands below such a member is not looked at.
func checkWrongTypes(s *survey) []diag.Finding {
	var findings []diag.Finding
	for _, kind := range surface.Kinds {
		for _, it := range s.Items[kind] {
			for _, m := range typedMembers[kind] {
				m.check(it.Node, func(pointer string, value *canon.Node) {
					f := about(wrongTypeMember, it, pointer, "", value)
					f.Subject = subjectOf(it)
					shown := m.fill(&f, " of "+nameOf(it), "refuses the server's whole list for it", value)
					findings = append(findings, s.illegalSince(m.since(kind), f, pointer, shown)...)
				})
			}
		}
	}
	for _, m := range typedServer {
		m.check(serverWords(s.McpSurfaceSnapshot), func(pointer string, value *canon.Node) {
			f := wrongTypeMember.Finding("server", "")
			f.Pointer = pointer
			f.After = shortValue(value)
			shown := m.fill(&f, "", "refuses to connect for it", value)
			findings = append(findings, s.illegalSince(m.since(""), f, pointer, shown)...)
		})
	}
	return findings
}

// introduced names the revisions that gave a member its type, by the beginning of its place; "server" is what a server says of itself. The others
// have theirs from the first revision on.
var introduced = []struct{ kind, place, revision string }{
	{"", "icons", "2025-11-25"}, {"", "_meta", "2025-06-18"}, {"", "title", "2025-06-18"}, {"", "annotations/lastModified", "2025-06-18"},
	{"tool", "annotations", "2025-03-26"}, {"tool", "outputSchema", "2025-06-18"}, {"tool", "execution", "2025-11-25"},
	{"prompt", "arguments/[]/title", "2025-06-18"},
	{"server", "serverInfo/title", "2025-06-18"}, {"server", "serverInfo/description", "2025-11-25"}, {"server", "serverInfo/websiteUrl", "2025-11-25"},
	{"server", "serverInfo/icons", "2025-11-25"}, {"server", "capabilities/completions", "2025-03-26"}, {"server", "capabilities/tasks", "2025-11-25"},
	{"server", "capabilities/extensions", "2026-07-28"},
}

// since is the revision that gave the member of an item, or of the server where kind is empty, its type; empty for the first.
func (m member) since(kind surface.Kind) string {
	of := cmp.Or(string(kind), "server")
	for _, in := range introduced {
		if (in.kind == of || in.kind == "" && of != "server") && (m.place == in.place || strings.HasPrefix(m.place, in.place+"/")) {
			return in.revision
		}
	}
	return ""
}

// illegalSince is illegal for what a revision brought: under an earlier one nothing is illegal, and clients that know later ones read types all the
// same. The finding stands for everyone then.
func (v *survey) illegalSince(revision string, f diag.Finding, args ...string) []diag.Finding {
	if v.axes[0].profile.ID < revision {
		return []diag.Finding{f.Sealed(args...)}
	}
	return v.illegal(f, args...)
}

// fill words a finding about the value that stands at the member's place, and returns the value as the message shows it.
func (m member) fill(f *diag.Finding, of, effect string, value *canon.Node) string {
	shown := diag.Shorten(strings.ToValidUTF8(string(value.Raw[:min(len(value.Raw), maxValue)]), "\uFFFD"), 60)
	f.Message = fmt.Sprintf("member %s%s is %s, the protocol has %s there; a client that reads types %s", f.Pointer, of, shown, m.wants.words, effect)
	f.Hint = fmt.Sprintf("the server has to send %s; report it to its maintainers", m.wants.words)
	if value.Is(canon.Null) {
		f.Hint = fmt.Sprintf("the server has to leave the member out when it has no value for it, or send %s; report it to its maintainers", m.wants.words)
	}
	return shown
}

// check calls report for every value in root that stands at the member's place and is not what is wanted there.
func (m member) check(root *canon.Node, report func(pointer string, value *canon.Node)) {
	var walk func(n *canon.Node, way, been []string)
	walk = func(n *canon.Node, way, been []string) {
		if len(way) == 0 {
			if !m.wants.holds(n) {
				report(canon.Pointer(been...), n)
			}
			return
		}
		step := func(name string, value *canon.Node) { walk(value, way[1:], append(slices.Clone(been), name)) }
		if way[0] == "[]" {
			for i, item := range n.Items {
				step(fmt.Sprint(i), item)
			}
			return
		}
		for _, child := range n.Members { // a name that is given twice is looked at twice
			if way[0] == "*" || way[0] == child.Name {
				step(child.Name, child.Value)
			}
		}
	}
	walk(root, strings.Split(m.place, "/"), nil)
}

// serverWords joins what the server says of itself under the names it has in the handshake.
func serverWords(s *surface.McpSurfaceSnapshot) *canon.Node {
	words := &canon.Node{Kind: canon.Object}
	for _, m := range []canon.Member{{Name: "serverInfo", Value: s.Server}, {Name: "capabilities", Value: s.Capabilities}, {Name: "instructions", Value: s.Instructions}} {
		if m.Value != nil {
			words.Members = append(words.Members, m)
		}
	}
	return words
}

// nameOf names an item in a sentence: tool "search".
func nameOf(it surface.Item) string {
	if it.Name == "" {
		return fmt.Sprintf("a %s without a name", it.Kind)
	}
	return fmt.Sprintf("%s %q", it.Kind, it.Name)
}
