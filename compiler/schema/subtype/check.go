package subtype

import (
	"bytes"
	"cmp"
	"errors"

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
	if !x.reads(found.value) || !y.reads(found.value) {
		return answer{doubt: StopValidator}
	}
	in, err := x.checking().Takes(found.value)
	out, err2 := y.checking().Takes(found.value)
	switch {
	case err != nil || err2 != nil:
		return answer{doubt: untold(cmp.Or(err, err2))}
	case in && !out:
		return answer{value: found.value}
	case found.doubt != "":
		return answer{doubt: found.doubt}
	}
	return answer{doubt: StopWitness}
}

// untold says what keeps the validator from telling whether it takes a value.
func untold(err error) string {
	switch {
	case errors.Is(err, schema.ErrUndecided):
		return "pattern"
	case errors.Is(err, schema.ErrWays), errors.Is(err, schema.ErrLoop):
		return "$ref"
	}
	return StopSchema
}

// unchecked says why the validator cannot be asked about a schema, if it cannot.
func (s *side) unchecked() string {
	if s.asked {
		return s.beyond
	}
	s.asked = true
	switch {
	case s.Size.Subschemas > maxChecked || s.Size.Subschemas*s.Size.Depth > maxNested:
		s.beyond = StopValidator
	case schema.BeyondBounds(s.Root().Node):
		s.beyond = StopDecimals
	}
	return s.beyond
}

// reads reports a value that the validator has no more to compare for than is bearable.
func (s *side) reads(value []byte) bool {
	parts := 1 + bytes.Count(value, []byte(",")) + bytes.Count(value, []byte(":"))
	if c := value[0]; c == '-' || '0' <= c && c <= '9' {
		parts = numberCompared
	}
	return parts*(s.Size.Subschemas+s.Size.EnumValues) <= maxValidated
}

func (s *side) checking() *schema.Checker {
	if s.checker == nil {
		s.checker = schema.NewChecker(s.Analysis)
	}
	return s.checker
}
