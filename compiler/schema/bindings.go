package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// HeaderKeyword is the annotation by which a property of an input schema asks to be mirrored in a request header (MCP 2026-07-28, SEP-2243).
const HeaderKeyword = "x-mcp-header"

// Binding ties an argument to a header.
type Binding struct {
	Property *Schema
	Header   string // what follows Mcp-Param-
}

// Path returns the property names that lead to the argument, from the top of the arguments.
func (b Binding) Path() []string {
	var path []string
	for s := b.Property; s.Parent != nil; s = s.Parent {
		path = append(path, s.Name)
	}
	slices.Reverse(path)
	return path
}

// BindingFault is one annotation that breaks a rule of theirs: a client drops the tool that has one.
type BindingFault struct {
	At      *Schema
	Value   *canon.Node
	Message string // to stand behind the annotation: "is no token"
}

// Bindings returns the bindings of an input schema, in its order, and those that break a rule: names are tokens, unique whatever their case; the
// property is a string, an integer or a boolean; and it is reached through properties alone, so that an argument's place is certain.
func (a *Analysis) Bindings() ([]Binding, []BindingFault) {
	var found []Binding
	var faults []BindingFault
	seen := map[string]bool{}
	sure := make([]bool, len(a.Schemas))
	for _, s := range a.Schemas {
		sure[s.Index] = s.Parent == nil || s.Role == Property && sure[s.Parent.Index]
		header := s.Node.Get(HeaderKeyword)
		if header == nil {
			continue
		}
		fault := bindingFault(s, header, sure[s.Index] && s.Parent != nil)
		name := header.Text()
		if lower := strings.ToLower(name); fault == "" {
			if seen[lower] {
				fault = fmt.Sprintf("is %q, which another property has already", name)
			}
			seen[lower] = true
		}
		if fault != "" {
			faults = append(faults, BindingFault{s, header, fault})
			continue
		}
		found = append(found, Binding{s, name})
	}
	return found, faults
}

func bindingFault(s *Schema, header *canon.Node, sure bool) string {
	name, isText := header.Str()
	switch {
	case !sure:
		return "stands where no argument is certain to be: a binding is on a property that properties alone lead to"
	case isText && name == "":
		return "is empty"
	case !isText || !isToken(name):
		return "is " + shown(header) + ", which is no token of letters, digits and !#$%&'*+-.^_`|~"
	case !slices.Contains([]string{"string", "integer", "boolean"}, s.Node.Get("type").Text()):
		return "is on a property that is neither a string nor an integer nor a boolean"
	}
	return ""
}

// isToken reports whether s is a token of RFC 9110, as the name of a header is.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && !(r >= '0' && r <= '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// Value returns what the header says of the arguments: a text as it is, a whole number and a boolean as JSON spells them. It reports false for an argument that is not
// given, null, or of another kind.
func (b Binding) Value(arguments *canon.Node) (string, bool) {
	value := arguments
	for _, name := range b.Path() {
		value = value.Get(name)
	}
	if text, ok := value.Str(); ok {
		return text, true
	}
	if whole, ok := value.Int(); ok {
		return strconv.FormatInt(whole, 10), true
	}
	yes, ok := value.Bool()
	return strconv.FormatBool(yes), ok
}
