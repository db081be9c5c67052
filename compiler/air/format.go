package air

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"anvil/compiler/canon"
)

// ErrFormat is returned for bytes that are not a document this version reads.
var ErrFormat = errors.New("not an AIR document of this format")

// Encode returns the document as JSON: fields in declared order, operations by id, equal documents in equal bytes. It fails when a raw
// value in it is not JSON.
func (d Document) Encode() ([]byte, error) { return d.encoded(canon.Encode) }

// EncodeCompact is [Document.Encode] without white space, for who lays the text out himself.
func (d Document) EncodeCompact() ([]byte, error) { return d.encoded(canon.EncodeCompact) }

func (d Document) encoded(encode func(any) ([]byte, error)) ([]byte, error) {
	d.SchemaVersion = SchemaVersion
	d.Operations = slices.Clone(d.Operations)
	sortOperations(d.Operations)
	text, err := encode(d)
	if err != nil {
		return nil, fmt.Errorf("write AIR document of %s: %w", d.Service.ID, err)
	}
	return text, nil
}

// Decode reads what Encode wrote: unknown, repeated and missing members, other versions, words outside the enumerations, figures out of bounds and
// arguments that the input schema does not give are errors that match ErrFormat. It does not judge the document; Validate does.
func Decode(data []byte) (Document, error) {
	var d Document
	if err := canon.Decode(data, &d); err != nil {
		return Document{}, fmt.Errorf("read AIR document: %w: %w", ErrFormat, err)
	}
	if d.SchemaVersion != SchemaVersion {
		return Document{}, fmt.Errorf("read AIR document: %w: schemaVersion is %d, this version of anvil reads %d", ErrFormat, d.SchemaVersion, SchemaVersion)
	}
	if !ValidServiceID(d.Service.ID) {
		return Document{}, fmt.Errorf("read AIR document: %w: service id %q is malformed", ErrFormat, d.Service.ID)
	}
	root, err := canon.Outline(data, formatDepth)
	if err != nil {
		return Document{}, fmt.Errorf("read AIR document: %w: %w", ErrFormat, err)
	}
	if problem := misfit(reflect.ValueOf(d), root, Enumerations()); problem != "" {
		return Document{}, fmt.Errorf("read AIR document: %w: %s", ErrFormat, problem)
	}
	for i, o := range d.Operations {
		if problem := o.malformed(); problem != "" {
			return Document{}, fmt.Errorf("read AIR document: %w: operation %d (%q): %s", ErrFormat, i, o.ID, problem)
		}
	}
	for _, c := range d.Capabilities {
		if slices.ContainsFunc(c.Evidence, Claim.outOfBounds) {
			return Document{}, fmt.Errorf("read AIR document: %w: capability %q: a claim holds a figure out of bounds", ErrFormat, c.ID)
		}
	}
	sortOperations(d.Operations)
	return d, nil
}

// formatDepth is how many objects and lists of the format stand inside one another at most; below are values of the server's.
const formatDepth = 8

// malformed says which field of o holds no id, a figure out of bounds, or a view that its schema does not give.
func (o Operation) malformed() string {
	switch {
	case o.ID == "" || o.CanonicalName == "":
		return "id or canonicalName is empty"
	case o.Retries.MaxAttempts < 1 || o.Retries.MaxAttempts > maxAttempts:
		return fmt.Sprintf("retries.maxAttempts %d is not within 1 to %d", o.Retries.MaxAttempts, maxAttempts)
	case outside(o.Retries.BaseDelayMs, maxDelay) || outside(o.Retries.MaxDelayMs, maxDelay):
		return fmt.Sprintf("retries.baseDelayMs %d or retries.maxDelayMs %d is not within 0 to %d", o.Retries.BaseDelayMs, o.Retries.MaxDelayMs, maxDelay)
	case min(o.DisclosureCost.ToolTokens, o.DisclosureCost.ResponseItemTokens, o.DisclosureCost.ResponseTokens) < 0:
		return "disclosureCost holds a figure below 0"
	case o.Pagination != nil && min(o.Pagination.MaxPageSize, o.Pagination.DefaultPageSize) < 0:
		return "pagination holds a figure below 0"
	case !o.paramsDerived():
		return "input.params is not what input.schema gives"
	}
	for _, c := range o.Evidence {
		if c.Subject != o.ID || c.outOfBounds() {
			return fmt.Sprintf("a claim on %s is about another operation, or holds a figure out of bounds", c.Predicate)
		}
	}
	return o.misdecided()
}

func outside(v, limit int) bool { return v < 0 || v > limit }

func (c Claim) outOfBounds() bool {
	return !share(c.Confidence) || c.N < 0 || !share(c.Low) || !share(c.High) || c.Low > c.High
}

func share(v float64) bool { return v >= 0 && v <= 1 }

// paramsDerived reports a parameter view that is what the schema gives.
func (o Operation) paramsDerived() bool {
	return slices.EqualFunc(o.Input.Params, Params(o.Input.Schema), func(a, b Param) bool {
		same := slices.EqualFunc(a.Enum, b.Enum, func(x, y canon.Raw) bool { return canon.Equal(x, y) }) && canon.Equal(a.Default, b.Default)
		a.Enum, b.Enum, a.Default, b.Default = nil, nil, nil, nil
		return same && reflect.DeepEqual(a, b)
	})
}

// misfit returns the first place below v, read from n, where a member is missing that is always written, or a word is outside its enumeration.
func misfit(v reflect.Value, n *canon.Node, words map[reflect.Type][]string) string {
	switch v.Kind() {
	case reflect.String:
		if list := words[v.Type()]; list != nil && !slices.Contains(list, v.String()) {
			return fmt.Sprintf(": %q is unknown", v.String())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return misfit(v.Elem(), n, words)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[canon.Raw]() {
			return ""
		}
		if !n.IsArray() {
			return ": is no list"
		}
		for i, item := range n.Elements() {
			if problem := misfit(v.Index(i), item, words); problem != "" {
				return fmt.Sprintf("/%d%s", i, problem)
			}
		}
	case reflect.Struct:
		return misfitMember(v, n, words)
	}
	return ""
}

func misfitMember(v reflect.Value, n *canon.Node, words map[reflect.Type][]string) string {
	if !n.IsObject() {
		return ": is no object"
	}
	for i, f := range fieldsOf(v.Type()) {
		member := n.Get(f.name)
		switch {
		case member == nil && !f.optional:
			return "/" + f.name + ": is missing"
		case member == nil:
		case member.Is(canon.Null) && !f.raw:
			return "/" + f.name + ": is null"
		case f.raw:
		default:
			if problem := misfit(v.Field(i), member, words); problem != "" {
				return "/" + f.name + problem
			}
		}
	}
	return ""
}

// field is how a field of a struct stands in the format.
type field struct {
	name          string
	optional, raw bool
}

// fields are those of each struct of the format, as they are asked for.
var fields sync.Map // reflect.Type to []field

func fieldsOf(t reflect.Type) []field {
	if known, ok := fields.Load(t); ok {
		return known.([]field)
	}
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, field{name, options != "", f.Type == reflect.TypeFor[canon.Raw]()})
	}
	fields.Store(t, all)
	return all
}

// misdecided says what of the records of people's decisions is not about o.
func (o Operation) misdecided() string {
	if b := o.Block; b != nil && b.Operation != o.ID {
		return fmt.Sprintf("its block is of %q", b.Operation)
	}
	if l := o.Lapsed; l != nil && l.Approval.Operation != o.ID {
		return fmt.Sprintf("its lapsed approval is of %q", l.Approval.Operation)
	}
	if v := o.Overlay; v != nil && v.Operation != o.ID {
		return fmt.Sprintf("its overlay is of %q", v.Operation)
	}
	return ""
}
