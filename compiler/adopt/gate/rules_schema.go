package gate

import (
	"fmt"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

func checkRootNotObject(s *surface.McpSurfaceSnapshot, _ Options) []diag.Finding {
	var findings []diag.Finding
	for _, it := range s.Tools() {
		if !it.Node.IsObject() || it.Name == "" {
			continue // malformed-item says so
		}
		root := it.Node.Get("inputSchema")
		pointer, value, fault := rootFault(root)
		if fault == "" {
			continue
		}
		f := about(rootNotObject, it, pointer, fmt.Sprintf("input schema of tool %q %s", it.Name, fault), value)
		f.Hint = `the server has to send "type": "object" at the root of inputSchema`
		findings = append(findings, f.Sealed())
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

func checkToolBudget(s *surface.McpSurfaceSnapshot, o Options) []diag.Finding {
	count := len(s.Tools())
	limit, class, hint := DefaultToolBudget, diag.Warning, "approve a part of them and serve that through the facade"
	if o.MaxTools > 0 && count > o.MaxTools {
		limit, class, hint = o.MaxTools, diag.Error, "raise gate.maxTools in anvil.yaml, or have the server list fewer tools"
	}
	if count <= limit {
		return nil
	}
	f := toolBudget.Finding("server", fmt.Sprintf("the server lists %d tools, the budget is %d", count, limit))
	f.Class, f.Pointer, f.After = class, "/tools", canon.Raw(fmt.Sprint(count))
	f.Hint = hint
	return []diag.Finding{f.Sealed()}
}
