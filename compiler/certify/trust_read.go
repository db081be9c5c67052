package certify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

// value is what a member of a trust file takes: in words, and whether a node is one.
type value struct {
	words string
	takes func(*canon.Node) bool
}

var (
	aText   = value{"a text", func(n *canon.Node) bool { return n.Is(canon.String) }}
	aTime   = value{"a time, or left out", func(n *canon.Node) bool { return n.Text() != "" }}
	aNumber = value{"a whole number", func(n *canon.Node) bool { _, ok := n.Int(); return ok }}
	texts   = value{"a list of texts", func(n *canon.Node) bool { return n.IsArray() && all(n.Items, aText) }}
	numbers = value{"a map of whole numbers", func(n *canon.Node) bool {
		return n.IsObject() && !slices.ContainsFunc(n.Members, func(m canon.Member) bool { return !aNumber.takes(m.Value) })
	}}
	keyList = value{"a list of keys", func(n *canon.Node) bool { return n.IsArray() }}
)

// The members of a trust file and of a key in it. They are those of [TrustFile] and [TrustKey], which a test holds them to.
var (
	trustMembers = map[string]value{"schemaVersion": aNumber, "keys": keyList, "minimumSerial": aNumber, "serials": numbers, "policies": texts}
	keyMembers   = map[string]value{
		"name": aText, "keyid": aText, "public": aText, "path": aText, "roles": texts, "notBefore": aTime, "notAfter": aTime, "revokedSince": aTime,
	}
)

func all(items []*canon.Node, v value) bool {
	return !slices.ContainsFunc(items, func(n *canon.Node) bool { return !v.takes(n) })
}

// readTrustFile reads the members of a trust file. Errors are *[yaml.Error], with the line of what is wrong and what is allowed there.
func readTrustFile(data []byte) (file TrustFile, lines yaml.Lines, err error) {
	text, lines, err := yaml.ToJSON(data)
	if err != nil {
		return file, nil, err
	}
	root, err := canon.Parse(text)
	if err != nil {
		return file, nil, err
	}
	if err := shaped(root, "", "a trust file", trustMembers, lines); err != nil {
		return file, nil, err
	}
	for i, k := range root.Get("keys").Elements() {
		if err := shaped(k, fmt.Sprintf("/keys/%d", i), fmt.Sprintf("keys[%d]", i), keyMembers, lines); err != nil {
			return file, nil, err
		}
	}
	return file, lines, strict(text, &file)
}

// shaped holds a map against the members that it may have.
func shaped(n *canon.Node, at, what string, members map[string]value, lines yaml.Lines) error {
	known := strings.Join(slices.Sorted(maps.Keys(members)), ", ")
	if !n.IsObject() {
		return wrongAt(lines, at, "%s must be a map of %s", what, known)
	}
	for _, m := range n.Members {
		pointer := at + canon.Pointer(m.Name)
		v, ok := members[m.Name]
		switch {
		case !ok:
			return wrongAt(lines, pointer, "%s has no member %q; it may have %s", what, m.Name, known)
		case !v.takes(m.Value):
			return wrongAt(lines, pointer, "%s of %s must be %s", m.Name, what, v.words)
		}
	}
	return nil
}

// wrongAt is an error about the value at a pointer.
func wrongAt(lines yaml.Lines, pointer, format string, args ...any) error {
	return &yaml.Error{Line: lines.At(pointer), Msg: fmt.Sprintf(format, args...)}
}
