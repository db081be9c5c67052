package gate

import (
	"fmt"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

func checkRootNotObject(s *survey) []diag.Finding {
	var findings []diag.Finding
	for _, it := range s.named() {
		pointer, value, fault := rootFault(it.Node.Get("inputSchema"))
		if fault == "" {
			continue
		}
		f := about(rootNotObject, it, pointer, fmt.Sprintf("input schema of %s %s", shownName(it), fault), value)
		f.Hint = `the server has to send "type": "object" at the root of inputSchema`
		if schema := it.Node.Get("inputSchema"); schema == nil || len(schema.Members) == 0 {
			f.Hint = `the server has to send {"type": "object", "properties": {}} as inputSchema, with the tool's arguments under "properties"`
		}
		for _, a := range s.under(rootNotObject) {
			findings = append(findings, a.judge(f).Sealed())
		}
	}
	return findings
}

// rootFault returns where and why root is no object schema; an empty fault says that it is one.
func rootFault(root *canon.Node) (pointer string, value *canon.Node, fault string) {
	kind := root.Get("type")
	switch {
	case root == nil:
		return "/inputSchema", nil, "is missing"
	case !root.IsObject():
		return "/inputSchema", root, "is no object"
	case kind == nil:
		return "/inputSchema", root, "has no type at its root"
	case kind.Text() != "object":
		return "/inputSchema/type", kind, fmt.Sprintf("has root type %s", kind.Raw)
	}
	return "", nil, ""
}
