package subtype

const (
	// MaxPairSteps is what a pair has for all questions about it together, unless its options say less.
	MaxPairSteps = 2 * maxSteps

	maxWitness    = 64 << 10 // bytes of a value that is made
	bytesPerStep  = 64       // of a text that is made or looked through at the price of a step
	valuesPerStep = 4        // of a set that is made
)

// budget is the steps that a pair has left.
type budget int

// grant starts a question: it has as many steps as any, or what is left.
func (b *budget) grant(e *engine) { e.steps, e.limit = 0, min(maxSteps, max(int(*b), 0)) }

// settle ends it.
func (b *budget) settle(e *engine) {
	*b -= budget(e.steps)
	e.peak = max(e.peak, e.steps)
}

// empty reports that no question is left.
func (b *budget) empty() bool { return *b <= 0 }

// tooLarge reports parts of a value that together make one which is not made. Values are made of values: without a bound a few counts within each other
// make one as large as their product.
func (e *engine) tooLarge(parts [][]byte) bool {
	size := 0
	for _, part := range parts {
		size += len(part) + 1
	}
	return e.spend(size/bytesPerStep) || size > maxWitness
}
