package workflow

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"anvil/learn"
)

var hostile = []string{
	"plain", `"]; n0 --> n0; x["`, "a\nb\r\nc", `back\slash \`, `\"`, "[x](y){z}<b>", "%%{init: {}}%%", "#quot;", "#35;", "&quot; &lt;", "end", "subgraph x", "```", "\x00\x1b[31m",
	"\u202eright to left", "\xff\xfe", "]]>", "n1 -> n2", "// no comment", "/* nor */", "|pipe|", "é 漢字 🛠", strings.Repeat("long", 100), "", "\u2028", "; class n0 x",
}

// Assertion 57, the diagrams.
func TestDiagramsAreWellFormed(t *testing.T) {
	for _, name := range hostile {
		checkDiagrams(t, name, name)
	}
	checkDiagrams(t, "srv", "tool")
	if got := Build(nil); got.Mermaid() != "flowchart TD\n" || got.DOT() != "digraph workflow {\n  rankdir=TB;\n  node [shape=box];\n}\n" {
		t.Errorf("of nothing: %q, %q", got.Mermaid(), got.DOT())
	}
}

func FuzzDiagrams(f *testing.F) {
	for _, name := range hostile {
		f.Add(name, "server")
	}
	f.Fuzz(checkDiagrams)
}

// checkDiagrams draws three calls of such names, and reads the diagrams back by the grammars of Mermaid and DOT, as far as they are used: what the nodes say
// has to be what was meant, and the edges those there are.
func checkDiagrams(t *testing.T, name, server string) {
	g := Build([]learn.Event{call("a"+name, "", 0, 10, using(name), func(e *learn.Event) { e.Tool.Server = server }), call("b"+name, "a"+name, 2, 5, failing, using(name)),
		call("c"+name, "a"+name, 4, 5, using(server))})
	var captions []string
	for i := range g.Nodes {
		captions = append(captions, caption(&g.Nodes[i]))
	}
	for what, read := range map[string]func(string) ([]string, []string, error){g.Mermaid(): readMermaid, g.DOT(): readDOT} {
		nodes, edges, err := read(what)
		if err != nil {
			t.Fatalf("%q: %v\n%s", name, err, what)
		}
		if strings.Join(nodes, "\x00") != strings.Join(captions, "\x00") {
			t.Errorf("nodes say %q, want %q", nodes, captions)
		}
		if fmt.Sprint(edges) != "[0-1 0-2]" {
			t.Errorf("edges %v", edges)
		}
	}
}

var (
	mermaidNode  = regexp.MustCompile(`^  n(\d+)\["((?:[\pL\p{Nd} ./_]|#\d+;)*)"\]$`)
	mermaidEdge  = regexp.MustCompile(`^  n(\d+) --> n(\d+)$`)
	mermaidStyle = regexp.MustCompile(`^  (classDef failed stroke:#c00,stroke-width:2px|class n\d+(,n\d+)* failed)$`)
	entity       = regexp.MustCompile(`#(\d+);`)
)

// readMermaid takes a flowchart apart, line by line.
func readMermaid(text string) (nodes, edges []string, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "flowchart TD" {
		return nil, nil, fmt.Errorf("begins with %q", lines[0])
	}
	for _, line := range lines[1:] {
		if m := mermaidNode.FindStringSubmatch(line); m != nil {
			if m[1] != strconv.Itoa(len(nodes)) {
				return nil, nil, fmt.Errorf("node %s in place %d", m[1], len(nodes))
			}
			nodes = append(nodes, entity.ReplaceAllStringFunc(m[2], func(code string) string {
				n, _ := strconv.Atoi(strings.Trim(code, "#;"))
				return string(rune(n))
			}))
		} else if m := mermaidEdge.FindStringSubmatch(line); m != nil {
			edges = append(edges, m[1]+"-"+m[2])
		} else if !mermaidStyle.MatchString(line) {
			return nil, nil, fmt.Errorf("line %q is none of a flowchart", line)
		}
	}
	return nodes, edges, nil
}

// reader goes through the tokens of a digraph.
type reader struct{ tokens []string }

func (r *reader) take(want ...string) error {
	for _, w := range want {
		if len(r.tokens) == 0 || r.tokens[0] != w {
			return fmt.Errorf("%q where %q should be", r.tokens[:min(3, len(r.tokens))], w)
		}
		r.tokens = r.tokens[1:]
	}
	return nil
}

// readDOT takes a digraph apart: tokens first, then statements.
func readDOT(text string) (nodes, edges []string, err error) {
	tokens, err := dotTokens(text)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{tokens}
	if err := r.take("digraph", "workflow", "{", "rankdir", "=", "TB", ";", "node", "[", "shape", "=", "box", "]", ";"); err != nil {
		return nil, nil, err
	}
	for len(r.tokens) > 4 && r.tokens[0] != "}" {
		t := r.tokens
		switch {
		case t[1] == "->":
			edges = append(edges, t[0][1:]+"-"+t[2][1:])
			r.tokens = t[3:]
		case t[1] == "[" && t[0] == fmt.Sprint("n", len(nodes)) && t[2] == "label" && t[3] == "=" && t[4][0] == '"':
			nodes = append(nodes, t[4][1:])
			if r.tokens = t[5:]; len(r.tokens) > 0 && r.tokens[0] == "," {
				err = r.take(",", "color", "=", "\"#cc0000")
			}
			if err == nil {
				err = r.take("]")
			}
		default:
			err = fmt.Errorf("statement %q", t[:5])
		}
		if err == nil {
			err = r.take(";")
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if err := r.take("}"); err != nil || len(r.tokens) > 0 {
		return nil, nil, fmt.Errorf("end: %v, %q is left", err, r.tokens)
	}
	return nodes, edges, nil
}

// dotTokens splits into words, marks and strings; a string is told by the quote before it, and its escapes and entities are undone.
func dotTokens(text string) ([]string, error) {
	var tokens []string
	for text != "" {
		switch c := text[0]; {
		case c == ' ' || c == '\n':
			text = text[1:]
		case strings.HasPrefix(text, "->"):
			tokens, text = append(tokens, "->"), text[2:]
		case strings.ContainsRune("{}[];=,", rune(c)):
			tokens, text = append(tokens, text[:1]), text[1:]
		case c == '"':
			var b strings.Builder
			b.WriteByte('"')
			at := 1
			for ; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
					if at == len(text) || text[at] != '\\' && text[at] != '"' {
						return nil, fmt.Errorf("an escape that means something: %q", text[:at])
					}
				} else if text[at] < ' ' {
					return nil, fmt.Errorf("a control character in %q", text[:at+1])
				}
				b.WriteByte(text[at])
			}
			if at == len(text) {
				return nil, fmt.Errorf("a string without end: %q", text)
			}
			if s := strings.ReplaceAll(b.String(), "&amp;", ""); strings.Contains(s, "&") {
				return nil, fmt.Errorf("an entity that means something: %q", s)
			}
			tokens, text = append(tokens, strings.ReplaceAll(b.String(), "&amp;", "&")), text[at+1:]
		default:
			word := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`).FindString(text)
			if word == "" {
				return nil, fmt.Errorf("%q begins nothing", text[:min(20, len(text))])
			}
			tokens, text = append(tokens, word), text[len(word):]
		}
	}
	return tokens, nil
}
