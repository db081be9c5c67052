package subtype

const (
	// MaxPairSteps is what a pair has for all questions about it together, unless its options say less.
	MaxPairSteps = 2 * maxSteps

	maxWitness    = 64 << 10 // bytes of a value that is made, or shown
	bytesPerStep  = 64       // of a text that is made or looked through at the price of a step
	valuesPerStep = 4        // of a set that is made
	perStep       = 16       // literals, members or items that are looked through

	// maxValidated bounds what the validator compares when it is asked about a value: it holds each part of the value against each part of the schema and
	// each value of an enum. Numbers it reads anew each time.
	maxValidated   = 1 << 20
	numberCompared = 256
)

// What stops a proof, where no keyword does.
const (
	StopSchema     = "schema"               // one of the two is no valid schema, or gives a member name twice
	StopSubschemas = "number of subschemas" // more than are looked at
	StopValues     = "number of values"     // of all enums of a schema, likewise
	StopSteps      = "number of steps"      // the budget of the pair, or of a question about it, is spent
	StopDepth      = "depth"                // schemas within schemas
	StopValue      = "size of the value"    // what shows it is larger than a value that is made or checked
	StopValidator  = "size"                 // of the schemas, for the validator that checks what the proof found
	StopDecimals   = "number"               // a number with more digits than the validator reads
	StopWitness    = "witness"              // the validator does not agree
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
	return size > maxWitness || e.spend(size/bytesPerStep)
}
