package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"anvil/compiler/canon"
)

// ToJSON reads one YAML (or JSON) document and returns it as compact JSON, members in source order and numbers as they
// are spelled; JSON input comes back as it is, less the white space around it. An empty document is null. What the
// package comment lists is refused. Errors are of type *[Error].
func ToJSON(src []byte) (json []byte, lines Lines, err error) {
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	if !utf8.Valid(src) {
		return nil, nil, errorAt(badUTF8Line(src), "the text is not UTF-8")
	}
	if text := bytes.TrimSpace(src); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		if n, err := canon.Parse(src); err == nil {
			return fromJSONSource(src, n)
		}
	}
	root, err := readDocument(acceptDirective(src))
	if err != nil {
		return nil, nil, err
	}
	c := converter{lines: Lines{}, last: lastLine(src)}
	if root == nil {
		return []byte("null"), c.lines, nil
	}
	if err := c.value(root, ""); err != nil {
		return nil, nil, err
	}
	return c.out, c.lines, nil
}

// acceptDirective lets a first line "%YAML 1.2" pass, which the library refuses although it names the language read here.
func acceptDirective(src []byte) []byte {
	const directive = "%YAML 1.2"
	if rest, ok := bytes.CutPrefix(src, []byte(directive)); ok {
		return append([]byte("%YAML 1.1"), rest...)
	}
	return src
}

func badUTF8Line(src []byte) int {
	line := 1
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		src = src[size:]
	}
	return line
}

// readDocument returns the root of the only document in src, nil when there is none. A panic of the library on odd
// input becomes an error, so that a configuration file cannot end the process.
func readDocument(src []byte) (root *yaml.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			root, err = nil, &Error{Msg: fmt.Sprintf("not readable as YAML: %v", v)}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, translate(err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, errorAt(second.Line, "a second document starts here; one is allowed")
	case !errors.Is(err, io.EOF):
		return nil, translate(err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

var libraryError = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)`)

func translate(err error) error {
	m := libraryError.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{Msg: err.Error()}
	}
	line, _ := strconv.Atoi(m[1]) // "" is 0, the unknown line
	return &Error{Line: line, Msg: m[2]}
}

// converter appends the JSON of the nodes it visits to out.
type converter struct {
	out   []byte
	lines Lines
	last  int // line of the source
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// lastLine returns the number of the last line, by the line breaks that YAML 1.1 has.
func lastLine(src []byte) int { return strings.Count(lineBreaks.Replace(string(src)), "\n") + 1 }

func (c *converter) value(n *yaml.Node, at string) error {
	if err := refuse(n); err != nil {
		return err
	}
	if _, ok := c.lines[at]; !ok {
		c.lines[at] = min(n.Line, c.last) // of "---" alone the library has the value on the line below
	}
	switch n.Kind {
	case yaml.MappingNode:
		return c.mapping(n, at)
	case yaml.SequenceNode:
		return c.sequence(n, at)
	}
	text, err := scalarJSON(n)
	c.out = append(c.out, text...)
	return err
}

// refuse reports what a node must not carry.
func refuse(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return errorAt(n.Line, "alias *%s is not allowed; write the value out", n.Value)
	case n.Anchor != "":
		return errorAt(n.Line, "anchor &%s is not allowed; write the value out where it is needed", n.Anchor)
	case n.Style&yaml.TaggedStyle == 0:
		return nil
	}
	switch {
	case n.Kind == yaml.MappingNode && n.Tag == "!!map":
	case n.Kind == yaml.SequenceNode && n.Tag == "!!seq":
	case n.Kind == yaml.ScalarNode && (n.Tag == "!!str" || n.Tag == jsonTag):
	default:
		return errorAt(n.Line, "tag %s is not allowed; write the value without it", n.Tag)
	}
	return nil
}

func (c *converter) mapping(n *yaml.Node, at string) error {
	c.out = append(c.out, '{')
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		literal, name, err := keyName(key)
		if err != nil {
			return err
		}
		if first, ok := seen[name]; ok {
			return errorAt(key.Line, "key %q was already given on line %d", name, first)
		}
		seen[name] = key.Line
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(append(c.out, literal...), ':')
		below := at + canon.Pointer(name)
		c.lines[below] = key.Line
		if err := c.value(value, below); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	return nil
}

func keyName(key *yaml.Node) (literal []byte, name string, err error) {
	if err := refuse(key); err != nil {
		return nil, "", err
	}
	if key.Kind != yaml.ScalarNode {
		return nil, "", errorAt(key.Line, "a key must be a string, not a list or a map")
	}
	if key.Tag == "!!merge" {
		return nil, "", errorAt(key.Line, "merge key << is not allowed; write the members out")
	}
	literal, err = scalarJSON(key)
	if err != nil {
		return nil, "", err
	}
	if body := literal[1:max(1, len(literal)-1)]; literal[0] == '"' && bytes.IndexByte(body, '\\') < 0 {
		return literal, string(body), nil
	}
	n, err := canon.Parse(literal)
	if err != nil || !n.Is(canon.String) {
		return nil, "", errorAt(key.Line, "key %s is not a string; quote it", strings.TrimSpace(key.Value))
	}
	return literal, n.Text(), nil
}

func (c *converter) sequence(n *yaml.Node, at string) error {
	c.out = append(c.out, '[')
	for i, item := range n.Content {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		if err := c.value(item, at+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	c.out = append(c.out, ']')
	return nil
}

func scalarJSON(n *yaml.Node) ([]byte, error) {
	text, err := canon.Quote(n.Value), error(nil)
	const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case n.Style&yaml.TaggedStyle != 0 && n.Tag == jsonTag:
		text, err = resolveJSON(n.Value)
	case n.Style&(yaml.TaggedStyle|quotedStyles) == 0:
		text, err = resolvePlain(n.Value)
	}
	if err != nil {
		return nil, errorAt(n.Line, "%v", err)
	}
	return text, nil
}
