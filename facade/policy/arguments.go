package policy

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"anvil/compiler/canon"
)

// Why a value out of arguments is not read. Its text stands in refusals, so it holds nothing of the value.
var (
	errTooLarge = fmt.Errorf("the arguments have more than the %d bytes that rules read", MaxArguments)
	errNumber   = errors.New("it reads a number that cannot be compared exactly")
	errText     = errors.New("it reads a text that is not valid Unicode")
	errAlike    = errors.New("the arguments have a member that some readers take for one it reads")
	errJSON     = errors.New("the arguments are no JSON object")
)

func fault(err error) *types.Err { return types.WrapErr(err).(*types.Err) }

// decode returns the arguments of a call as a value of CEL's. declared are the names that the operation's schema has.
func decode(arguments []byte, declared map[string]struct{}) ref.Val {
	switch {
	case len(arguments) > MaxArguments:
		return fault(errTooLarge)
	case len(arguments) == 0:
		return &object{node: &canon.Node{Kind: canon.Object}, declared: declared}
	}
	n, err := canon.Outline(arguments, 1)
	if err != nil || !n.IsObject() {
		return fault(errJSON)
	}
	return &object{node: n, outline: true, declared: declared}
}

// object is a JSON object as CEL's map. Its members are made into values when they are asked for.
type object struct {
	node     *canon.Node
	outline  bool // what is in its members is not parsed yet
	declared map[string]struct{}
	index    map[string]*canon.Node // its members, once there are so many that looking at each takes long
	folded   map[string]string      // with it: one name of each way to read names carelessly
	made     map[string]ref.Val     // containers that were parsed
	all      traits.Mapper          // all of it as CEL's own map
}

// fewMembers is up to how many members are gone through one by one.
const fewMembers = 16

// Find returns the value of a member; an error where one is given that a careless reader takes for it.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), false
	}
	value, alike := o.member(string(name))
	switch {
	case alike:
		return fault(errAlike), false
	case value == nil:
		return nil, false
	}
	v := o.value(string(name), value)
	return v, !types.IsError(v)
}

// member returns the value of a member, and whether another reads like it that the schema does not have.
func (o *object) member(name string) (value *canon.Node, alike bool) {
	if len(o.node.Members) > fewMembers {
		return o.indexed(name)
	}
	folded := ""
	for _, m := range o.node.Members {
		if m.Name == name {
			value = m.Value
			continue
		}
		if _, other := o.declared[m.Name]; other || len(m.Name) < len(name) && !grows(m.Name) {
			continue
		}
		if folded == "" {
			folded = fold(name)
		}
		alike = alike || fold(m.Name) == folded
	}
	return value, alike
}

// grows reports a name that can be shorter than one it reads like: characters that few bytes stand for are ASCII.
func grows(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
}

func (o *object) indexed(name string) (value *canon.Node, alike bool) {
	if o.index == nil {
		o.index, o.folded = make(map[string]*canon.Node, len(o.node.Members)), make(map[string]string, len(o.node.Members))
		for _, m := range o.node.Members {
			o.index[m.Name] = m.Value
			if _, real := o.declared[m.Name]; !real {
				key := fold(m.Name)
				if other, taken := o.folded[key]; taken && other != m.Name {
					o.folded[key] = "" // more than one: whichever is asked for, another reads like it
				} else {
					o.folded[key] = m.Name
				}
			}
		}
	}
	other, ok := o.folded[fold(name)]
	return o.index[name], ok && other != name
}

// fold is what a careless reader makes of a member's name: no letter case, no character that nobody sees.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\uFF01' && r <= '\uFF5E' { // full-width forms
			r -= '\uFF01' - '!'
		}
		if r = unicode.ToLower(unicode.ToUpper(r)); r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsMark(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, name)
}

// value is the value of the member that is called name.
func (o *object) value(name string, n *canon.Node) ref.Val {
	if !n.IsObject() && !n.IsArray() {
		return plain(n)
	}
	if v, ok := o.made[name]; ok {
		return v
	}
	v := container(n, o.outline, o.declared)
	if o.made == nil {
		o.made = map[string]ref.Val{}
	}
	o.made[name] = v
	return v
}

// container is a list or an object; an error where anything in it is not exact, since what looks into it cannot be told.
func container(n *canon.Node, outline bool, declared map[string]struct{}) ref.Val {
	if outline {
		var err error
		if n, err = canon.Parse(n.Raw); err != nil {
			return fault(errJSON)
		}
	}
	if err := inexact(n); err != nil {
		return fault(err)
	}
	return exact(n, declared)
}

// exact is [container] of what is known to be exact and parsed.
func exact(n *canon.Node, declared map[string]struct{}) ref.Val {
	switch {
	case n.IsObject():
		return &object{node: n, declared: declared}
	case n.IsArray():
		items := make([]ref.Val, len(n.Items))
		for i, item := range n.Items {
			items[i] = exact(item, declared)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, items)
	}
	return plain(n)
}

// inexact finds a number or a text in n that is not read.
func inexact(n *canon.Node) error {
	for _, m := range n.Members {
		if err := inexact(m.Value); err != nil {
			return err
		}
	}
	for _, item := range n.Items {
		if err := inexact(item); err != nil {
			return err
		}
	}
	if e, ok := plain(n).(*types.Err); ok {
		return e.Unwrap()
	}
	return nil
}

// plain is the value of what is no container; of one, null.
func plain(n *canon.Node) ref.Val {
	switch n.Kind {
	case canon.String:
		s, _ := n.Str()
		if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
			return fault(errText)
		}
		return types.String(s)
	case canon.Number:
		return number(n)
	case canon.True:
		return types.True
	case canon.False:
		return types.False
	}
	return types.NullValue
}

// number is an int or a uint where it is whole and within 64 bits, and else a double where that double's shortest spelling is this very number.
func number(n *canon.Node) ref.Val {
	if i, ok := n.Int(); ok {
		return types.Int(i)
	}
	value, ok := n.Rat()
	if !ok {
		return fault(errNumber)
	}
	if value.IsInt() {
		if value.Num().IsUint64() {
			return types.Uint(value.Num().Uint64())
		}
		return fault(errNumber)
	}
	near, _ := value.Float64()
	again, ok := new(big.Rat).SetString(strconv.FormatFloat(near, 'g', -1, 64))
	if !ok || again.Cmp(value) != 0 || near >= exactBelow || near <= -exactBelow {
		return fault(errNumber)
	}
	return types.Double(near)
}

// exactBelow is up to where doubles tell whole numbers apart.
const exactBelow = 1 << 53

// The rest of CEL's map. What needs all members at once makes CEL's own map of them.

func (o *object) whole() (traits.Mapper, error) {
	if o.all != nil {
		return o.all, nil
	}
	members := make(map[ref.Val]ref.Val, len(o.node.Members))
	for _, m := range o.node.Members {
		if !utf8.ValidString(m.Name) || strings.ContainsRune(m.Name, utf8.RuneError) {
			return nil, errText
		}
		v := o.value(m.Name, m.Value)
		if e, ok := v.(*types.Err); ok {
			return nil, e.Unwrap()
		}
		members[types.String(m.Name)] = v
	}
	o.all = types.NewRefValMap(types.DefaultTypeAdapter, members)
	return o.all, nil
}

func (o *object) with(do func(traits.Mapper) ref.Val) ref.Val {
	all, err := o.whole()
	if err != nil {
		return fault(err)
	}
	return do(all)
}

// Contains reports whether there is such a member.
func (o *object) Contains(key ref.Val) ref.Val {
	v, found := o.Find(key)
	if types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

// Get returns the value of a member.
func (o *object) Get(key ref.Val) ref.Val {
	v, found := o.Find(key)
	if !found && v == nil {
		return types.NewErr("no such key: %v", key)
	}
	return v
}

// Iterator goes through the names.
func (o *object) Iterator() traits.Iterator {
	all, err := o.whole()
	if err != nil {
		return &broken{Err: fault(err)}
	}
	return all.Iterator()
}

// broken is an iterator of one element, which is an error: a loop over what cannot be read fails.
type broken struct {
	*types.Err
	over bool
}

// HasNext is true once.
func (b *broken) HasNext() ref.Val { return types.Bool(!b.over) }

// Next returns the error.
func (b *broken) Next() ref.Val {
	b.over = true
	return b.Err
}

// Size is how many members there are.
func (o *object) Size() ref.Val { return types.Int(len(o.node.Members)) }

// Equal compares with another value.
func (o *object) Equal(other ref.Val) ref.Val {
	return o.with(func(all traits.Mapper) ref.Val {
		if m, ok := other.(*object); ok {
			return m.with(func(its traits.Mapper) ref.Val { return all.Equal(its) })
		}
		return all.Equal(other)
	})
}

// ConvertToNative is of no use here: a rule gives true or false.
func (o *object) ConvertToNative(to reflect.Type) (any, error) {
	return nil, fmt.Errorf("arguments are not converted to %s", to)
}

// ConvertToType knows the type of maps alone.
func (o *object) ConvertToType(to ref.Type) ref.Val {
	switch to {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from map to %v", to)
}

// Type is that of maps.
func (o *object) Type() ref.Type { return types.MapType }

// Value is the object.
func (o *object) Value() any { return o }
