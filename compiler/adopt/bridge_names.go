package adopt

import (
	"fmt"
	"strconv"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// canonicalNames gives each tool a canonical name of its own. Where several names fold to one, the tool that spells it so keeps it and
// the others end in a hash of their name, so that an id does not depend on which other tools came or went before it.
func canonicalNames(tools []surface.Item) []string {
	names := make([]string, len(tools))
	folded, spelled := map[string]int{}, map[string]int{}
	for i, tool := range tools {
		names[i] = air.CanonicalName(tool.Name)
		folded[names[i]]++
		spelled[tool.Name]++
	}
	taken, next := map[string]bool{}, map[string]int{} // next is the least number behind a name that may be free
	for i, tool := range tools {
		plain := names[i]
		if folded[plain] > 1 && (tool.Name != plain || spelled[tool.Name] > 1) {
			key := tool.Name
			if spelled[key] > 1 {
				key += "\x00" + string(tool.JSON)
			}
			names[i] = plain + "_" + air.ShortHash(key)
		}
		base := names[i]
		for n := max(next[base], 2); taken[names[i]] || names[i] != plain && folded[names[i]] > 0; n++ {
			names[i], next[base] = base+"_"+strconv.Itoa(n), n+1
		}
		taken[names[i]] = true
	}
	return names
}

// nameFindings reports tools whose names do not tell them apart, and tools without a usable one.
func nameFindings(tools []surface.Item) (findings []diag.Finding) {
	byName, byFold := map[string]int{}, map[string][]surface.Item{}
	for _, tool := range tools {
		if !callable(tool) {
			findings = append(findings, itemFinding(operationUncallable, tool, "/name",
				fmt.Sprintf("the tool %s is no object with a readable name", quoted(tool.Name)), tool.Digest))
			continue
		}
		if byName[tool.Name]++; byName[tool.Name] == 1 {
			fold := air.CanonicalName(tool.Name)
			byFold[fold] = append(byFold[fold], tool)
		}
	}
	for _, same := range byFold {
		listed := listNames(same)
		for _, tool := range same {
			if n := byName[tool.Name]; n > 1 {
				findings = append(findings, itemFinding(operationNameAmbiguous, tool, "/name",
					fmt.Sprintf("%d tools are called %s", n, quoted(tool.Name))))
			}
			if len(same) > 1 {
				findings = append(findings, itemFinding(operationIDCollision, tool, "/name",
					fmt.Sprintf("the tool names %s become one operation id", listed)))
			}
		}
	}
	return findings
}

// maxListed bounds how many names a message lists, or messages about tools whose names all meet would grow with the square of their number.
const maxListed = 8

func listNames(tools []surface.Item) string {
	var names []string
	for _, tool := range tools[:min(len(tools), maxListed)] {
		names = append(names, quoted(tool.Name))
	}
	text := strings.Join(names, ", ")
	if more := len(tools) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
