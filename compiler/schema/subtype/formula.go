package subtype

import (
	"math/big"

	"anvil/compiler/canon"
)

// types is a set of JSON types. An integer is a number that is a multiple of 1.
type types uint8

const (
	aNull types = 1 << iota
	aBoolean
	aNumber
	aString
	anArray
	anObject

	everyType types = 1<<iota - 1
)

// op is what a formula asserts.
type op uint8

// Assertions about one type hold for every value of another, as the keywords of JSON Schema do.
const (
	opAll    op = iota // every kid; of none: always
	opAny              // at least one kid; of none: never
	opOne              // exactly one kid
	opRef              // target, a schema that is met again within itself
	opOpaque           // something that is not understood; text is its keyword

	opTypes    // the value's type is one of types
	opValues   // the value is one of values
	opLower    // not below num, and not num itself when open
	opUpper    // not above num, likewise
	opMultiple // a multiple of num
	opMin      // at least count characters, items or members, by types
	opMax      // at most count of them
	opPattern  // text, a regular expression, matches somewhere
	opList     // every item is as list says
	opContains // at least count and at most most items are as kids[0]
	opUnique   // no two items are equal
	opShape    // every member is as shape says
	opRequired // has a member called text
	opAbsent   // has no member called text
	opNames    // every member's name is as kids[0]
)

// formula is a schema, or a part of one. Equal formulas of one engine are the same object. It is not changed once it is made, but for the target of a
// reference.
type formula struct {
	id   int // of this formula
	twin int // the id of the same formula regardless of which schema it comes from
	op   op

	may  types // types of which some value may satisfy it
	sure types // types of which every value does

	kids   []literal
	types  types
	values map[string]*canon.Node // by canonical text
	texts  []string               // those, sorted
	num    *big.Rat
	open   bool
	count  int
	most   int // -1 for no limit
	text   string
	list   *list
	shape  *shape
	target literal
	second bool // it comes from the schema that is being refuted; see [members.isUnclaimed]
}

// literal is a formula that has to hold, or that must not.
type literal struct {
	*formula
	not bool
}

func (l literal) negated() literal { return literal{l.formula, !l.not} }

// key tells literals apart.
func (l literal) key() int {
	if l.not {
		return l.twin<<1 | 1
	}
	return l.twin << 1
}

// mayBe are the types of which some value may satisfy l; surely are those of which every value does.
func (l literal) mayBe() types {
	if l.not {
		return everyType &^ l.sure
	}
	return l.may
}

func (l literal) surely() types {
	if l.not {
		return everyType &^ l.may
	}
	return l.sure
}

func (l literal) always() bool { return l.surely() == everyType }
func (l literal) never() bool  { return l.mayBe() == 0 }

// list says what the items of an array are: the first ones one by one, then all others.
type list struct {
	prefix []literal
	rest   literal
}

func (l *list) at(i int) literal {
	if i < len(l.prefix) {
		return l.prefix[i]
	}
	return l.rest
}

// shape says what the members of an object are. A member is as its name says and as every pattern that its name matches says; where there is
// neither, as rest says.
type shape struct {
	names    []string // sorted
	members  map[string]literal
	patterns []patterned
	rest     literal
}

type patterned struct {
	name  literal // of opPattern
	value literal
}
