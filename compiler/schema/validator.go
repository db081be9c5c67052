package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/ecma"
)

// Validator says of values whether a schema takes them. It is safe for concurrent use.
type Validator struct {
	compiled *jsonschema.Schema
	ways     *evaluations
	matches  *matches
}

var libraryDrafts = map[Draft]*jsonschema.Draft{
	Draft4: jsonschema.Draft4, Draft6: jsonschema.Draft6, Draft7: jsonschema.Draft7, Draft2019: jsonschema.Draft2019, Draft2020: jsonschema.Draft2020,
}

// here is where the library believes a schema to stand. It holds no schema against a metaschema that stands beside the metaschemas themselves, which
// takes longer than all else: that is for schemas of which Analyse has found nothing wrong. A relative reference to another document would find them
// there, so a schema that has one stands elsewhere.
const here, besideMetaschemas = "anvil:///schema", "https://json-schema.org/anvil/schema"

// NewValidator compiles a schema in its dialect. What the standard has as annotations (`format` and the content keywords) is not held against values,
// in whatever draft, and neither is `dependencies` from 2019-09 on, which has the keyword no more. It fails for what is no schema and for
// one that refers to another document or is written in several dialects. Time grows with the square of the number of subschemas.
func NewValidator(a *Analysis) (*Validator, error) { return a.compile(nil) }

// compile makes a validator, of the whole schema or of what is left of it for values whose members have certain names alone.
func (a *Analysis) compile(names map[string]bool) (*Validator, error) {
	switch {
	case a.Root() == nil:
		return nil, fmt.Errorf("compile schema: it is no schema")
	case a.Mixed:
		return nil, errMixed
	case BeyondBounds(a.Root().Node):
		return nil, errBeyond
	case a.plain():
		return a.compileAt(besideMetaschemas, names)
	}
	return a.compileAt(here, names)
}

func (a *Analysis) compileAt(place string, names map[string]bool) (*Validator, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(libraryDrafts[a.Draft])
	c.UseLoader(denyAll{})
	m := &matches{}
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return matcher{ecma.Compile(text), m}, nil })
	if err := c.AddResource(place, a.document(names)); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	compiled, err := c.Compile(place)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Validator{compiled, a.evaluations(), m}, nil
}

var errMixed = errors.New("a schema within it names another dialect")

// errBeyond says why the library is not asked: it has no bound of its own, writes some such numbers out and fails on others.
var errBeyond = errors.New("it has a number with more digits than anybody calculates with, or a larger exponent")

// BeyondBounds reports a number in n, with an exponent, that nobody calculates with: see [canon.MaxExponent].
func BeyondBounds(n *canon.Node) bool {
	if n.Is(canon.Number) && bytes.ContainsAny(n.Raw, "eE") {
		_, ok := n.Rat()
		return !ok
	}
	return slices.ContainsFunc(n.Items, BeyondBounds) || slices.ContainsFunc(n.Members, func(m canon.Member) bool { return BeyondBounds(m.Value) })
}

// plain reports a schema in which its metaschema finds no fault, and that stands for itself.
func (a *Analysis) plain() bool {
	if a.Unknown || slices.ContainsFunc(a.Refs, func(r *Ref) bool { return r.Kind == Remote }) {
		return false
	}
	return !slices.ContainsFunc(a.Violations, func(v Violation) bool { return v.Fault == Invalid && !v.Doubt })
}

// Takes reports whether the schema takes a value, which is JSON text.
func (v *Validator) Takes(value []byte) (bool, error) {
	n, err := canon.Parse(value)
	if err != nil {
		return false, fmt.Errorf("read value: %w", err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return false, fmt.Errorf("read value: %w", err)
	}
	refused, err := v.refused(n, parsed)
	return err == nil && refused == nil, err
}

// refused holds a value, as we and as the library have it, against the schema: why it is refused, nil when it is not.
func (v *Validator) refused(n *canon.Node, parsed any) (*jsonschema.ValidationError, error) {
	if BeyondBounds(n) {
		return nil, errBeyond
	}
	if err := v.ways.bearable(n); err != nil {
		return nil, err
	}
	v.matches.Lock()
	defer v.matches.Unlock()
	v.matches.left, v.matches.undecided = matchSteps, false
	var refused *jsonschema.ValidationError
	switch err := v.compiled.Validate(parsed); {
	case v.matches.undecided: // whatever the library made of it
		return nil, ErrUndecided
	case err != nil && !errors.As(err, &refused):
		return nil, fmt.Errorf("validate value: %w", err)
	}
	return refused, nil
}

// matchSteps are for all matches of patterns with one value that go back and forth.
const matchSteps = 4 * ecma.MaxSteps

// ErrUndecided says that whether a value fits hangs on a pattern of which that cannot be told.
var ErrUndecided = errors.New("whether a pattern matches is not decided: it cannot be read, or a match takes too long")

// matches are those of a validator's patterns with the value that it is asked about.
type matches struct {
	sync.Mutex
	left      int // steps
	undecided bool
}

// matcher is a pattern as the library wants it, which cannot be told that a match is not decided.
type matcher struct {
	*ecma.Regexp
	of *matches
}

func (m matcher) MatchString(s string) bool {
	if m.of.undecided {
		return false
	}
	matches, decided, taken := m.MatchWithin(s, m.of.left)
	m.of.left -= taken
	m.of.undecided = !decided
	return matches
}

// Asserts reports whether a keyword can make a value invalid in a dialect. Keywords that are not known count as if they could.
func (d Draft) Asserts(keyword string) bool {
	switch keyword {
	case "format", "contentEncoding", "contentMediaType", "contentSchema", "default", "example":
		return false
	case "dependencies":
		return d <= Draft7
	}
	return !Lookup(keyword).Note
}
