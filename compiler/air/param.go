package air

import (
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// Param is one named argument of an operation as a command line and a reviewer see it. It is derived from Input.Schema, which alone says what
// the server takes; see Params.
type Param struct {
	Name        string      `json:"name"`                 // on the wire
	Flag        string      `json:"flag"`                 // on a command line, without "--"; unique within the operation
	Type        ParamType   `json:"type"`                 // of one value
	Repeated    bool        `json:"repeated,omitzero"`    // a list of such values
	Nullable    bool        `json:"nullable,omitzero"`    // null is taken too
	Required    bool        `json:"required,omitzero"`    //
	Enum        []canon.Raw `json:"enum,omitempty"`       // the only values, when they are listed and plain
	Default     canon.Raw   `json:"default,omitzero"`     // what the server says it takes instead
	Format      string      `json:"format,omitzero"`      // as the schema states it: date-time, uri ...
	Description string      `json:"description,omitzero"` // the server's words
}

// ParamType is the type of one value of a parameter.
type ParamType string

// The types of parameters.
const (
	ParamString  ParamType = "string"
	ParamInteger ParamType = "integer"
	ParamNumber  ParamType = "number"
	ParamBoolean ParamType = "boolean"
	ParamJSON    ParamType = "json" // an object, a list of such, or what the schema leaves open: given as JSON text
)

// ReservedFlags are the flags that every generated command has of its own.
var ReservedFlags = []string{"completion", "confirm", "dry-run", "format", "h", "help", "json", "schema", "target", "timeout", "v", "version"}

// maxParams bounds the view of one operation; whatever is beyond it is given as JSON.
const maxParams = 500

// Params derives the parameter view of an input schema, required ones first, each part by name.
func Params(input canon.Raw) []Param {
	root, err := canon.Parse(input)
	if err != nil {
		return nil
	}
	var params []Param
	properties := schema.Properties(root)
	properties = properties[:min(len(properties), maxParams)]
	flags := flagsOf(properties)
	for i, property := range properties {
		p := ParamOf(root, property)
		p.Flag = flags[i]
		params = append(params, p)
	}
	return params
}

// flagsOf gives each property its flag. One that is called exactly as its flag is has it, whatever else would be shortened to that: of "ID" and "id" it
// is the second that is --id.
func flagsOf(properties []schema.NamedMember) []string {
	taken, flags := map[string]bool{}, make([]string, len(properties))
	for _, flag := range ReservedFlags {
		taken[flag] = true
	}
	for _, exact := range []bool{true, false} {
		for i, property := range properties {
			if flags[i] != "" || exact && (taken[property.Name] || flagOf(property.Name, nil) != property.Name) {
				continue
			}
			flags[i] = flagOf(property.Name, taken)
			taken[flags[i]] = true
		}
	}
	return flags
}

// flagOf makes a flag of a member's name: "maxResults" is max-results, and "format", which every command has of its own, is arg-format. A flag that is
// taken, and a name that lost letters on the way, end in a hash of the name.
func flagOf(name string, taken map[string]bool) string {
	words, lost := split(name)
	flag := strings.Join(words, "-")
	if flag == "" {
		flag, lost = "arg", true
	}
	flag = hashed(flag, name, '-', lost, maxCanonical)
	if slices.Contains(ReservedFlags, flag) {
		flag = "arg-" + flag
	}
	if taken[flag] {
		flag = hashed(flag, name, '-', true, maxCanonical)
	}
	for base, n := flag, 2; taken[flag]; n++ {
		flag = base + "-" + strconv.Itoa(n)
	}
	return flag
}

// ParamOf is what the schema of one member says, without a flag.
func ParamOf(root *canon.Node, property schema.NamedMember) Param {
	n := property.Schema
	p := Param{Name: property.Name, Required: property.Required, Type: ParamJSON, Description: valid(n.Get("description").Text())}
	types := schema.TypeNames(root, n)
	if i := slices.Index(types, "null"); i >= 0 {
		p.Nullable, types = len(types) > 1, slices.Delete(types, i, i+1)
	}
	switch {
	case len(types) == 1 && types[0] == "array":
		items := schema.ItemsOf(root, n)
		if t, ok := plainType(schema.TypeNames(root, items)); ok && items != nil {
			p.Type, p.Repeated = t, true
			p.Enum, p.Format = choices(root, items), valid(formatOf(root, items))
		}
	default:
		if t, ok := plainType(types); ok {
			p.Type, p.Enum, p.Format = t, choices(root, n), valid(formatOf(root, n))
		}
	}
	if d := n.Get("default"); d != nil && !d.Repeats() {
		p.Default = canon.Raw(d.Canonical())
	}
	return p
}

// plainType is the type of a value that can be typed as it is.
func plainType(types []string) (ParamType, bool) {
	switch {
	case len(types) == 1 && slices.Contains([]ParamType{ParamString, ParamInteger, ParamNumber, ParamBoolean}, ParamType(types[0])):
		return ParamType(types[0]), true
	case slices.Equal(types, []string{"integer", "number"}):
		return ParamNumber, true
	}
	return ParamJSON, false
}

// Bounds of the look for listed values.
const (
	maxDepth    = 6
	maxBranches = 64
)

func formatOf(root, n *canon.Node) string {
	return schema.Behind(root, n, func(n *canon.Node) *canon.Node {
		if f := n.Get("format"); f.Is(canon.String) {
			return f
		}
		return nil
	}).Text()
}

// choices are the values that a schema lists, null left out; none when it takes others too, or one of them is no plain value.
func choices(root, n *canon.Node) []canon.Raw {
	all, closed := listed(root, n, 0)
	if !closed {
		return nil
	}
	return all
}

// listed collects what enum and const name. closed tells that n takes nothing else.
func listed(root, n *canon.Node, depth int) (all []canon.Raw, closed bool) {
	if !n.IsObject() || depth > maxDepth {
		return nil, false
	}
	values := n.Get("enum").Elements()
	if c := n.Get("const"); c != nil {
		values = []*canon.Node{c}
	}
	if len(values) > 0 {
		return plain(values)
	}
	if n.Get("type").Text() == "null" {
		return nil, true
	}
	for _, branch := range append(n.Get("allOf").Elements(), schema.Referred(root, n.Get("$ref").Text())) {
		if all, closed = listed(root, branch, depth+1); closed {
			return all, true
		}
	}
	branches := append(n.Get("anyOf").Elements(), n.Get("oneOf").Elements()...)
	for _, branch := range branches[:min(len(branches), maxBranches+1)] {
		some, closed := listed(root, branch, depth+1)
		if !closed {
			return nil, false
		}
		all = append(all, some...)
	}
	return all, len(branches) > 0 && len(branches) <= maxBranches
}

func plain(values []*canon.Node) (all []canon.Raw, closed bool) {
	for _, v := range values {
		switch v.Kind {
		case canon.Object, canon.Array:
			return nil, false
		case canon.Null:
		default:
			all = append(all, canon.Raw(v.Canonical()))
		}
	}
	return all, true
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
