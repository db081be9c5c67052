package subtype

// answer is what became of some obligations. A value without doubt meets them; one with doubt may. Neither a value nor doubt: nothing can meet them.
type answer struct {
	value []byte // canonical text
	doubt string // the keyword that stopped the proof
	waits int    // the least depth of the obligations, being met further out, on which a "nothing" relies
}

// free is the depth that no obligations have.
const free = 1 << 30

var nothing = answer{waits: free}

func (a answer) met() bool  { return a.value != nil && a.doubt == "" }
func (a answer) none() bool { return a.value == nil && a.doubt == "" }

// or takes the better of two alternatives: a value, then a doubtful one, then doubt. Nothing meets both only if nothing meets either.
func (a answer) or(b answer) answer {
	waits := min(a.waits, b.waits)
	switch {
	case a.met():
		return a
	case b.met():
		return b
	case a.none():
		a = b
	case a.value == nil && b.value != nil:
		a = b
	}
	a.waits = waits
	return a
}
