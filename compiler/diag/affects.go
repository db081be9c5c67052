package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Affected is one thing in a pack that a difference touches.
type Affected struct {
	Kind   string `json:"kind"`          // approval, or the kind of an artifact: facade, tools-metadata, cli, skill
	Path   string `json:"path"`          // of the file in the pack that holds it
	Name   string `json:"name,omitzero"` // of the entry in that file: an operation's id, a tool or a command
	Effect Effect `json:"effect"`        // what becomes of it, should the difference be accepted
}

// Effect is what becomes of what is touched.
type Effect string

// The effects.
const (
	Lapses  Effect = "lapses"  // an approval that holds no more
	Refused Effect = "refused" // a tool that the facade does not serve any more
	Retold  Effect = "retold"  // a tool that the facade serves with another text
	Changed Effect = "changed" // an entry that is another one when the pack is built again
	Removed Effect = "removed" // an entry that is not there when the pack is built again
)

// effectWords say an effect where its own word does not.
var effectWords = map[Effect]string{Retold: "served with another text"}

// affectedNames is how many entries a line names of one kind and effect.
const affectedNames = 3

// AffectsLine says in a line what is touched, those of one kind and effect together: "approval shop.find (lapses), facade find (refused)". What
// stands in several files of a kind is said once.
func AffectsLine(list []Affected) string {
	var order []Affected // kind and effect
	names := map[Affected][]string{}
	for _, a := range list {
		key := Affected{Kind: a.Kind, Effect: a.Effect}
		if names[key] == nil {
			order = append(order, key)
		}
		if !slices.Contains(names[key], a.Name) {
			names[key] = append(names[key], a.Name)
		}
	}
	parts := make([]string, 0, len(order))
	for _, key := range order {
		shown := names[key]
		more := ""
		if n := len(shown) - affectedNames; n > 0 {
			shown, more = shown[:affectedNames], fmt.Sprintf(" and %d more", n)
		}
		text := Shorten(Printable(strings.Join(shown, ", ")), placeWidth)
		parts = append(parts, strings.TrimSpace(Printable(key.Kind)+" "+text)+more+" ("+cmp.Or(effectWords[key.Effect], string(key.Effect))+")")
	}
	return strings.Join(parts, ", ")
}
