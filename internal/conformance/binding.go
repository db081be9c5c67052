package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// headerKeyword is the annotation by which a property asks to be mirrored in a header (SEP-2243).
const headerKeyword = "x-mcp-header"

// binding ties an argument to a header.
type binding struct {
	path   []string // property names, from the top of the arguments
	header string   // what follows Mcp-Param-
}

// bindings returns those of an input schema, in its order. A schema that breaks a rule of theirs makes its tool unusable: names are tokens,
// unique whatever their case; the property is a string, an integer or a boolean; and it is reached through properties alone, so that an
// argument's place is certain.
func bindings(schema *canon.Node) ([]binding, error) {
	b := binder{seen: map[string]bool{}}
	err := b.walk(schema, nil, true)
	return b.found, err
}

// mirrored returns the headers for the arguments of a call: those given, not null, and of a kind that a header can carry.
func mirrored(bound []binding, arguments *canon.Node) map[string]string {
	values := map[string]string{}
	for _, b := range bound {
		value := arguments
		for _, name := range b.path {
			value = value.Get(name)
		}
		if text, ok := value.Str(); ok {
			values[b.header] = text
		} else if whole, ok := value.Int(); ok {
			values[b.header] = strconv.FormatInt(whole, 10)
		} else if yes, ok := value.Bool(); ok {
			values[b.header] = strconv.FormatBool(yes)
		}
	}
	return values
}

type binder struct {
	found []binding
	seen  map[string]bool // headers, in lower case
}

// walk looks for annotations in a value of the schema; at is where arguments under it stand, and sure whether they do.
func (b *binder) walk(n *canon.Node, at []string, sure bool) error {
	for _, item := range n.Elements() {
		if err := b.walk(item, nil, false); err != nil {
			return err
		}
	}
	if !n.IsObject() {
		return nil
	}
	if header := n.Get(headerKeyword); header != nil {
		if err := b.bind(n, header, at, sure); err != nil {
			return fmt.Errorf("property %q: %w", strings.Join(at, "."), err)
		}
	}
	for _, m := range n.Members {
		var err error
		switch {
		case m.Name == "properties" && m.Value.IsObject():
			err = b.properties(m.Value, at, sure)
		case isData(m.Name):
		default:
			err = b.walk(m.Value, nil, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *binder) properties(n *canon.Node, at []string, sure bool) error {
	for _, m := range n.Members {
		if err := b.walk(m.Value, append(slices.Clone(at), m.Name), sure); err != nil {
			return err
		}
	}
	return nil
}

// isData reports whether the values of a keyword are data, in which nothing is an annotation.
func isData(keyword string) bool {
	return slices.Contains([]string{"default", "const", "enum", "examples"}, keyword)
}

func (b *binder) bind(property, header *canon.Node, at []string, sure bool) error {
	name, isText := header.Str()
	lower := strings.ToLower(name)
	switch {
	case !sure || len(at) == 0:
		return fmt.Errorf("%s stands where no argument is certain to be", headerKeyword)
	case !isText || !isToken(name):
		return fmt.Errorf("%s is %s, which is no token", headerKeyword, header.Raw)
	case !slices.Contains([]string{"string", "integer", "boolean"}, property.Get("type").Text()):
		return fmt.Errorf("%s is on neither a string nor an integer nor a boolean", headerKeyword)
	case b.seen[lower]:
		return fmt.Errorf("%s %q is given twice", headerKeyword, name)
	}
	b.seen[lower] = true
	b.found = append(b.found, binding{at, name})
	return nil
}

// isToken reports whether s is a token of RFC 9110, as the name of a header is.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && !(r >= '0' && r <= '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
