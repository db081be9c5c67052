package gate

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/wording"
)

// speakingOfOthers reports texts of a server that name a tool of another one of the configuration. Of a server alone nobody knows whose tool it
// speaks of.
func (v *survey) speakingOfOthers(surfaces []Surface, tools []offer) []diag.Finding {
	owners := map[string][]*Surface{}
	for _, t := range tools {
		if strings.ContainsAny(t.Name, "_-") {
			name := strings.ToLower(t.Name)
			owners[name] = append(owners[name], t.from)
		}
	}
	var findings []diag.Finding
	for i := range surfaces {
		s := &surfaces[i]
		foreign := func(name string) bool { return len(owners[name]) > 0 && !slices.Contains(owners[name], s) }
		alone := &survey{McpSurfaceSnapshot: s.Snapshot, ctx: v.ctx}
		alone.eachUtterance(func(u utterance) {
			if !u.told || u.role != textRole {
				return
			}
			cues := wording.Foreign(u.text, foreign)
			if len(cues) == 0 {
				return
			}
			f := foreignFinding(u, cues, func(name string) string { return owners[strings.ToLower(name)][0].Server })
			f.Server = s.Server
			around := contextOf(u.text, cues)
			args := []string{string(wording.OtherTool), around.beyond[wording.OtherTool]}
			for _, c := range cues {
				args = append(args, c.Quote, around.sentences[c.At])
			}
			findings = append(findings, f.Sealed(args...))
		})
	}
	return findings
}

// foreignFinding starts the finding about a text that names tools of other servers.
func foreignFinding(u utterance, cues []wording.Cue, owner func(name string) string) diag.Finding {
	var at []int
	for _, c := range cues {
		at = append(at, c.At)
	}
	f := u.finding(injectionCues, fmt.Sprintf("%s: %s names %s, a tool of server %s, at character %s", wording.OtherTool, u.place(), called(cues[0].Name),
		called(owner(cues[0].Name)), places(at[:min(3, len(at))], len(at))))
	f.Hint = "make sure that the two servers belong together; a server has no business with the tools of another"
	return f
}
