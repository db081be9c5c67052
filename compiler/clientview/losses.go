package clientview

import (
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// losses are what findings on a client's axis say that its model is not handed.
type losses struct {
	refused []Reason          // every request of the client
	server  *Reason           // all tools
	tools   map[string]Reason // those of the name
	budget  *Reason           // what is beyond a number of tools
	pages   *Reason           // what is beyond the first page
}

func lossesOf(p *profiles.Profile, findings []diag.Finding) losses {
	l := losses{tools: map[string]Reason{}}
	seen := map[Reason]bool{}
	for _, f := range findings {
		why := Reason{f.Tool, f.Rule, f.Message}
		switch {
		case f.Axis != p.Axis():
		case f.Rule == p.View.Pages && f.Pointer == "/tools":
			l.pages = &why
		case !f.Refuses:
		case f.Radius == string(profiles.RadiusClient):
			if kind := (Reason{Tool: f.Tool, Rule: f.Rule}); !seen[kind] {
				seen[kind], l.refused = true, append(l.refused, why)
			}
		case f.Radius == string(profiles.RadiusServer):
			if l.server == nil {
				l.server = &why
			}
		case f.Tool != "":
			if _, known := l.tools[f.Tool]; !known {
				l.tools[f.Tool] = why
			}
		case f.Rule == p.View.Tools:
			l.budget = &why
		}
	}
	return l
}

// of tells why the tool at the place is not handed on, when shown tools are already; nil when it is. most is how many tools are shown, page how many
// are on the first page. byPlace says that it is for its place and nothing else.
func (l losses) of(name string, place, shown, most, page int) (why *Reason, byPlace bool) {
	if l.server != nil {
		return l.server, false
	}
	if l.pages != nil && page > 0 && place >= page {
		return l.pages, true
	}
	if why, lost := l.tools[name]; lost {
		return &why, false
	}
	if l.budget != nil && shown >= most {
		return l.budget, true
	}
	return nil, false
}
