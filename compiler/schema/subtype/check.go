package subtype

import (
	"cmp"

	"anvil/compiler/schema"
)

// agreed asks the validator about what was found.
func (p *Pair) agreed(x, y *side, found shown) answer {
	if alone := p.checked(x, y, found.alone); alone.value != nil {
		return alone
	}
	return p.checked(x, y, found.answer)
}

// checked asks the validator whether a value that was found is one.
func (p *Pair) checked(x, y *side, found answer) answer {
	if found.value == nil {
		return found
	}
	if doubt := cmp.Or(x.unchecked(), y.unchecked()); doubt != "" {
		return answer{doubt: doubt}
	}
	in, err := x.checking().Takes(found.value)
	out, err2 := y.checking().Takes(found.value)
	switch {
	case err != nil || err2 != nil:
		return answer{doubt: "schema"}
	case in && !out:
		return answer{value: found.value}
	case found.doubt != "":
		return answer{doubt: found.doubt}
	}
	return answer{doubt: "witness"}
}

// unchecked says why the validator cannot be asked about a schema, if it cannot.
func (s *side) unchecked() string {
	switch {
	case s.Size.Subschemas > maxChecked || s.Size.Subschemas*s.Size.Depth > maxNested:
		return "size"
	case schema.BeyondBounds(s.Root().Node):
		return "number"
	}
	return ""
}

func (s *side) checking() *schema.Checker {
	if s.checker == nil {
		s.checker = schema.NewChecker(s.Analysis)
	}
	return s.checker
}
