package subtype

import "anvil/compiler/schema"

// MaxSteps is the budget of a question.
const MaxSteps = maxSteps

// Steps is [Compare] that also returns how many steps the costlier direction took.
func Steps(a, b *schema.Analysis, o Options) (Relation, int) {
	p := NewPair(a, b, o)
	r := p.Whole()
	if p.lost == nil {
		return r, 0
	}
	return r, max(p.lost.peak, p.gained.peak)
}

// PartsSteps is [Pair.Parts] that also returns how many steps all questions took together.
func PartsSteps(a, b *schema.Analysis, o Options, places []Part) (Relation, []Relation, int) {
	p := NewPair(a, b, o)
	whole, parts := p.Parts(places)
	return whole, parts, MaxPairSteps - int(p.left)
}
