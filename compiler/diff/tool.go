package diff

import (
	"fmt"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// JudgeTool judges what is other about one tool between two of its list items, each JSON as a server sent it. Findings that are about no tool, such as
// the weight of a list, are left out. It fails on what is no JSON.
func JudgeTool(before, now []byte) ([]diag.Finding, error) {
	var sides [2]*surface.McpSurfaceSnapshot
	for i, tool := range [][]byte{before, now} {
		var err error
		sides[i], err = surface.New(surface.Capture{
			Initialize: []byte(`{"serverInfo":{"name":"tool"},"capabilities":{"tools":{}}}`), Lists: map[surface.Kind][][]byte{surface.Tool: {tool}},
		})
		if err != nil {
			return nil, fmt.Errorf("judge a tool: %w", err)
		}
	}
	findings := []diag.Finding{}
	for _, f := range Judge(Compare(sides[0], sides[1], Options{})) {
		if f.Tool != "" || strings.HasPrefix(f.Subject, string(surface.Tool)+"/") {
			findings = append(findings, f)
		}
	}
	return findings, nil
}
