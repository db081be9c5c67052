package diff

import (
	"cmp"
	"strconv"

	"anvil/compiler/schema/subtype"
)

// maxParts bounds how many differences of one schema are proven one by one; of the others the whole has to tell.
const maxParts = 64

const (
	maxProofs   = 40 * subtype.MaxPairSteps // steps for all schemas of a list together
	fewestSteps = 2500                      // for each one all the same, several times what changed schemas in the wild take
)

// share is what the proof of each schema has where so many items changed. It is the same for all, whoever is done first.
func share(changed int) int {
	return max(fewestSteps, min(subtype.MaxPairSteps, maxProofs/max(changed, 1)))
}

// prove decides what the changes mean, and returns how the new schema stands to the old one. What all changes together do is one proof; a single change
// is that proof, and where the two schemas allow the same values no change does anything.
func (v *visitor) prove(o Options) subtype.Relation {
	var open []int
	for i, parts := range v.parts {
		if len(parts) > 0 {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return subtype.Relation{Verdict: subtype.Equal}
	}
	var places []subtype.Part
	if len(open) > 1 {
		for _, i := range open[:min(len(open), maxParts)] {
			for _, part := range v.parts[i] {
				part.Beside = v.beside(i)
				places = append(places, part)
			}
		}
	}
	whole, proven := subtype.NewPair(v.old.Analysis, v.new.Analysis, subtype.Options{Unclaimed: !o.StrictOpen, Steps: o.steps}).Parts(places)
	for n, i := range open {
		relation := whole
		switch {
		case whole.Verdict == subtype.Equal || len(open) == 1 || proven == nil:
		case n >= maxParts:
			relation = subtype.Relation{Verdict: subtype.Unknown, Stopped: tooMany}
		default:
			relation = within(whole, joint(proven[:len(v.parts[i])]))
			proven = proven[len(v.parts[i]):]
		}
		v.found[i].Schema.Relation = relation
	}
	return whole
}

// tooMany stops the proof of single changes beyond [maxParts].
const tooMany = "number of changes"

// stops are what stops a proof where no keyword does, as the reason of a finding.
var stops = map[string]string{
	subtype.StopSchema:     "one of the two is no valid schema",
	subtype.StopSubschemas: "one of the two has more subschemas than are gone through",
	subtype.StopValues:     "the enums of one of the two have more values than are gone through",
	subtype.StopSteps:      "the proof takes more steps than it is given",
	subtype.StopDepth:      "the schemas are nested deeper than the proof goes",
	subtype.StopValue:      "a value that would show it is too large",
	subtype.StopValidator:  "the schemas are too large for the validator that checks the proof",
	subtype.StopDecimals:   "the validator does not read a number with that many digits",
	subtype.StopWitness:    "the validator does not agree with the proof",
	tooMany:                "more changes of one schema than " + strconv.Itoa(maxParts) + " are not gone through one by one",
}

// beside are the parts of all changes but one.
func (v *visitor) beside(change int) []subtype.Part {
	var others []subtype.Part
	for i, parts := range v.parts {
		if i != change && len(others) < maxParts {
			others = append(others, parts...)
		}
	}
	return others
}

// joint is what several parts of one change do together.
func joint(parts []subtype.Relation) subtype.Relation {
	var r subtype.Relation
	for _, one := range parts {
		r.Lost, r.Gained, r.Stopped = orRaw(r.Lost, one.Lost), orRaw(r.Gained, one.Gained), cmp.Or(r.Stopped, one.Stopped)
	}
	switch {
	case r.Lost != nil && r.Gained != nil:
		r.Verdict = subtype.Incomparable
	case r.Stopped != "":
		r.Verdict = subtype.Unknown
	case r.Lost != nil:
		r.Verdict = subtype.Narrowed
	case r.Gained != nil:
		r.Verdict = subtype.Widened
	default:
		r.Verdict = subtype.Equal
	}
	return r
}

func orRaw[T ~[]byte](a, b T) T {
	if a != nil {
		return a
	}
	return b
}

// within holds what is not known of a part against what is known of the whole: a part narrows nothing where the whole does not.
func within(whole, part subtype.Relation) subtype.Relation {
	if part.Verdict == subtype.Unknown && whole.Verdict == subtype.Widened {
		return subtype.Relation{Verdict: subtype.Widened, Gained: orRaw(part.Gained, whole.Gained)}
	}
	return part
}
