package workflow

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"anvil/learn"
)

// maxDrawn is how much of a name is drawn, in characters.
const maxDrawn = 80

// drawn is a name as a diagram shows it: what is no character, or steers how others look, gives way to a space.
func drawn(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(name, "\uFFFD") {
		if n++; n > maxDrawn {
			b.WriteString("...")
			break
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// caption is what stands in a node: the tool, what its call took, and how it ended if not well.
func caption(n *Node) string {
	text := drawn(n.Tool.String())
	if n.Timed() {
		text += " " + n.Duration.Round(time.Millisecond).String()
	}
	if n.Outcome != learn.Succeeded {
		text += " " + string(n.Outcome)
	}
	return text
}

// Mermaid draws the graph as a Mermaid flowchart. Nodes are called n0, n1 ... by their positions; in what they say, all that Mermaid could read as its own is
// written as a character's number.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i := range g.Nodes {
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, mermaidText(caption(&g.Nodes[i])))
	}
	for i := range g.Nodes {
		for _, c := range g.Nodes[i].Children {
			fmt.Fprintf(&b, "  n%d --> n%d\n", i, c)
		}
	}
	var failed []string
	for i := range g.Nodes {
		if g.Nodes[i].Outcome == learn.Failed {
			failed = append(failed, fmt.Sprintf("n%d", i))
		}
	}
	if len(failed) > 0 {
		b.WriteString("  classDef failed stroke:#c00,stroke-width:2px\n  class " + strings.Join(failed, ",") + " failed\n")
	}
	return b.String()
}

// mermaidText leaves letters, digits and a few marks that mean nothing to Mermaid; the rest becomes entity codes, which it shows as characters.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ./_", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// DOT draws the graph in Graphviz's language. Nodes are called n0, n1 ... by their positions.
func (g *Graph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph workflow {\n  rankdir=TB;\n  node [shape=box];\n")
	for i := range g.Nodes {
		extra := ""
		if g.Nodes[i].Outcome == learn.Failed {
			extra = ", color=\"#cc0000\""
		}
		fmt.Fprintf(&b, "  n%d [label=\"%s\"%s];\n", i, dotText(caption(&g.Nodes[i])), extra)
	}
	for i := range g.Nodes {
		for _, c := range g.Nodes[i].Children {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", i, c)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// dotText is a text inside quotes of a label: a backslash begins an escape there, an ampersand an entity.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(s)
}
