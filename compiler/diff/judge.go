package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// Judge returns the findings of a delta, sorted. An empty delta has none, any other has at least one: what no rule knows, or what cannot be
// decided, is a risky finding of its own.
func Judge(d Delta) []diag.Finding {
	j := &judge{told: map[spot]bool{}}
	j.server(d)
	j.protocol(d)
	j.capabilities(d.Capabilities)
	for _, list := range d.Lists {
		j.existence(list)
		for _, p := range list.Renamed {
			j.renamed(list.Kind, p)
			j.item(list.Kind, p)
		}
		for _, p := range list.Changed {
			j.item(list.Kind, p)
		}
	}
	j.surfaces(d)
	j.crossCheck(d)
	j.contradiction(d)
	j.seal()
	diag.Sort(j.found)
	return j.found
}

// seal gives the findings their fingerprints. Somebody may let one pass by it: so one of a class that is not its rule's, or that concerns security where
// its rule does not, is another than the one that is what the rule says.
func (j *judge) seal() {
	for i, f := range j.found {
		args, rule := j.args[i], record(f.Rule)
		if f.Class != rule.Class {
			args = append(args[:len(args):len(args)], "class", string(f.Class))
		}
		if f.Security != rule.Security {
			args = append(args[:len(args):len(args)], "security", strconv.FormatBool(f.Security))
		}
		j.found[i] = f.Sealed(args...)
	}
	diag.Distinct(j.found)
}

// judge collects findings.
type judge struct {
	found []diag.Finding
	args  [][]string    // of each finding: what tells it from others at its place
	told  map[spot]bool // texts of which more is told than that they changed
}

// spot is where a text stands. The two are kept apart: "tool/a" at "/x" is not "tool/a/x".
type spot struct{ subject, pointer string }

// fact is what a rule has to say besides its record.
type fact struct {
	subject, tool, pointer, message string
	before, after, witness          canon.Raw
	class                           diag.Class // overrides the rule's
	hint                            string     // likewise
	security                        bool       // adds to the rule's
	args                            []string   // what tells this finding from others at its place
}

func (j *judge) add(id string, f fact) {
	finding := record(id).Finding(f.subject, f.message)
	finding.Security = finding.Security || f.security
	if f.class != "" {
		finding.Class = f.class
	}
	if f.hint != "" {
		finding.Hint = f.hint
	}
	finding.Tool, finding.Pointer, finding.Before, finding.After, finding.Witness = f.tool, f.pointer, f.before, f.after, f.witness
	j.found, j.args = append(j.found, finding), append(j.args, f.args)
}

// at starts a fact about one change of an item.
func (p Pair) at(c Change, message string) fact {
	f := fact{subject: p.New.Subject(), pointer: c.Pointer, message: message, before: c.Before, after: c.After}
	if p.New.Kind == surface.Tool {
		f.tool = p.New.Name
	}
	return f
}

func about(it surface.Item, message string) fact {
	f := fact{subject: it.Subject(), message: message}
	if it.Kind == surface.Tool {
		f.tool = it.Name
	}
	return f
}

// item judges the changes of one item.
func (j *judge) item(kind surface.Kind, p Pair) {
	j.texts(p.Words, p.New)
	switch kind {
	case surface.Tool:
		j.tool(p)
	case surface.Prompt:
		j.prompt(p)
	default:
		j.resource(p)
	}
}

// maxPointers bounds how many places a message names.
const maxPointers = 5

// group reports several changes of one item as one finding. Its sides are the value of a single change, and of several an object that
// holds each value under its pointer.
func (j *judge) group(id string, p Pair, message string, changes []Change) {
	if len(changes) == 0 {
		return
	}
	pointers := make([]string, 0, maxPointers)
	for _, c := range changes[:min(maxPointers, len(changes))] {
		pointers = append(pointers, quoted(c.Pointer))
	}
	message += " at " + strings.Join(pointers, ", ")
	if rest := len(changes) - len(pointers); rest > 0 {
		message += fmt.Sprintf(" and %d more", rest)
	}
	j.add(id, p.together(message, changes))
}

// together is the fact of several changes, of which there is one at least.
func (p Pair) together(message string, changes []Change) fact {
	f := p.at(changes[0], message)
	for _, c := range changes {
		f.security = f.security || c.OriginMoved
		if len(changes) > 1 {
			f.pointer = commonPointer(f.pointer, c.Pointer)
		}
	}
	if len(changes) > 1 {
		f.before = byPointer(changes, func(c Change) canon.Raw { return c.Before })
		f.after = byPointer(changes, func(c Change) canon.Raw { return c.After })
	}
	return f
}

func byPointer(changes []Change, side func(Change) canon.Raw) canon.Raw {
	var members [][]byte
	for _, c := range changes {
		if value := side(c); !absent(value) {
			members = append(members, slices.Concat(canon.Quote(c.Pointer), []byte{':'}, value))
		}
	}
	if members == nil {
		return nil
	}
	return canon.MustCanonical(slices.Concat([]byte{'{'}, bytes.Join(members, []byte{','}), []byte{'}'}))
}

func commonPointer(a, b string) string {
	x, y := canon.Tokens(a), canon.Tokens(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return canon.Pointer(x[:n]...)
}
