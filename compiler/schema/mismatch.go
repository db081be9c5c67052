package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"anvil/compiler/canon"
	"anvil/compiler/ecma"
)

// Mismatch is one place in which a value does not fit a schema.
type Mismatch struct {
	Pointer string   // to the place in the value
	Keyword string   // that refuses it; "" where the schema is false
	Names   []string // of members, where the keyword misses them or refuses them
	Got     string   // the type that the value has and
	Want    []string // those that it may have, where the keyword is type
}

// maxSubschemas bounds what a validator is made of, whose time grows with the square.
const maxSubschemas = 1200

// Mismatches returns the places in which a value does not fit a schema, by place; none when it fits. What fits none of several schemas is one place.
// It fails where it cannot be told: the schema is no valid one, refers to another document, is too large or leads to too much, or has a pattern that cannot be
// run or a match of one takes too long; or either text may be read in two ways. It never reads another document.
func Mismatches(a *Analysis, value *canon.Node) ([]Mismatch, error) {
	if err := a.tellable(); err != nil {
		return nil, err
	}
	if flaws := value.Flaws(); len(flaws) > 0 {
		return nil, fmt.Errorf("the value may be read in two ways (%s)", flaws[0].Kind)
	}
	v, err := NewValidator(a)
	if err != nil {
		return nil, err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(value.Raw))
	if err != nil {
		return nil, fmt.Errorf("read value: %w", err)
	}
	refused, err := v.refused(value, parsed)
	if err != nil || refused == nil {
		return nil, err
	}
	return sortedMismatches(refused), nil
}

// tellable says why no value can be held against the schema.
func (a *Analysis) tellable() error {
	switch {
	case a.Root() == nil:
		return errors.New("it is no schema")
	case a.Unknown:
		return errors.New("its dialect is not known")
	case a.Mixed:
		return errMixed
	case a.Size.Subschemas > maxSubschemas:
		return fmt.Errorf("it has %d subschemas, more than %d", a.Size.Subschemas, maxSubschemas)
	}
	if flaws := a.Root().Node.Flaws(); len(flaws) > 0 {
		return fmt.Errorf("it may be read in two ways (%s)", flaws[0].Kind)
	}
	for _, r := range a.Refs {
		if r.Cycle {
			return errors.New("a reference in it leads to itself")
		}
	}
	left := matchSteps
	for _, s := range a.Schemas {
		patterns := []string{}
		if text, ok := s.Node.Get("pattern").Str(); ok {
			patterns = append(patterns, text)
		}
		for _, m := range members(s.Node.Get("patternProperties")) {
			patterns = append(patterns, m.Name)
		}
		for _, text := range patterns {
			_, decided, taken := ecma.Compile(text).MatchWithin("", left)
			if left -= taken; !decided {
				return errors.New("a pattern in it cannot be run")
			}
		}
	}
	return nil
}

func sortedMismatches(refused *jsonschema.ValidationError) []Mismatch {
	var found []Mismatch
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		whole := false // the schemas below are a choice, of which none has to fit
		switch e.ErrorKind.(type) {
		case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains, *kind.PropertyNames:
			whole = true
		}
		if whole || len(e.Causes) == 0 {
			found = append(found, mismatchOf(e))
			return
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(refused)
	slices.SortFunc(found, func(a, b Mismatch) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Keyword, b.Keyword), slices.Compare(a.Names, b.Names))
	})
	return found
}

func mismatchOf(e *jsonschema.ValidationError) Mismatch {
	m := Mismatch{Pointer: canon.Pointer(e.InstanceLocation...)}
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		m.Keyword = path[0]
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		m.Names = slices.Clone(k.Missing)
	case *kind.AdditionalProperties:
		m.Names = slices.Clone(k.Properties)
	case *kind.Type:
		m.Got, m.Want = k.Got, slices.Clone(k.Want)
	}
	slices.Sort(m.Names)
	slices.Sort(m.Want)
	return m
}
