package diff

import (
	"anvil/compiler/canon"
	"anvil/compiler/schema/subtype"
	"anvil/compiler/surface"
)

// Delta is what differs between two snapshots. It is structure only: no member says whether a change is good or bad.
type Delta struct {
	Old, New End

	Server       []Change // members of serverInfo
	Instructions []Change // none or one
	Capabilities []Change // members of the capabilities, settings apart
	Extra        []Change // members of the handshake's result that the protocol does not know

	Protocol, Era, Transport, ClientProfile *Turn // nil when equal
	Endpoint                                *Turn // web origins of the two captures that differ

	Words                []SelfWords // of the server itself
	Clashes              []Clash     // of names of tools
	OldWeight, NewWeight Weight

	VersionsAdded, VersionsRemoved []string // supported protocol versions, sorted

	Lists []ListDelta // one per kind that moved, in the order of surface.Kinds
}

// End is one of the two snapshots: what a report says about it.
type End struct {
	ServerName, ServerVersion, ProtocolVersion string
	Digest, Surface                            string // of the snapshot, and of its surface alone
	SupportsStated                             bool   // the server lists the protocol versions it speaks
}

// Turn is a plain fact with two values.
type Turn struct{ Before, After string }

// ListDelta is what differs in the list of one kind. Items are matched by name.
type ListDelta struct {
	Kind    surface.Kind
	Added   []Arrival
	Removed []Departure
	Changed []Pair // same name on both sides
	Renamed []Pair // recognised under another name; Changes leaves the name out
}

// Arrival is an item that only the new side has.
type Arrival struct {
	Item       surface.Item
	Duplicate  bool   // the old side has an item of this name too, which stays
	LastDigest string // the digest it had when it went away earlier; "" when it was never seen
	GoneAs     string // the name it had then, where that differs in case
	Hints      surface.Hints
	Params     []Param // of a tool, that are worth a look
	Words      *TextDelta
	Exposed    bool // a resource whose address is a file or a private host
}

// Departure is an item that only the old side has.
type Departure struct {
	Item      surface.Item
	Duplicate bool // the new side still has an item of this name
	Announced bool // a tool that was marked as deprecated
}

// Pair is one item on both sides.
type Pair struct {
	Old, New surface.Item
	Changes  []Change
	Input    *SchemaDelta   // of a tool's input schema that differs and stands on both sides
	Output   *SchemaDelta   // of its output schema, likewise
	Hints    *HintDelta     // of a tool that is an object on both sides
	Words    *TextDelta     // what its words do now and did not
	CaseOnly bool           // the names differ in case only
	Template *TemplateDelta // of a renamed resource template
	Moved    bool           // the scheme or host of a renamed resource or template differs

	OldDeprecated, NewDeprecated bool // a tool is marked as going away
}

// HintDelta holds a tool's hints after the protocol's defaults.
type HintDelta struct {
	Old, New surface.Hints
	Conflict bool   // the new side states readOnlyHint and destructiveHint both true, the old one did not
	Harmful  string // a word of the name of a tool that is read-only now by its own word, which says that it is not
}

// TemplateDelta is how the text of a URI template moved.
type TemplateDelta struct {
	AddedVars, RemovedVars []string
	Widened                []string // variables whose expansion reaches further: {x} to {+x} or {/x*}
	Literal                bool     // text outside the expressions differs
}

// Change is one place that differs. Before or After is empty when that side has nothing there.
type Change struct {
	Pointer       string // RFC 6901, within the item, serverInfo, capabilities ...
	Before, After canon.Raw
	Added         []canon.Raw // values of a set (required, type, enum) that only the new side has
	Removed       []canon.Raw // and those that only the old side has
	OriginMoved   bool        // the new side holds a web address of a scheme and host that the old one has not; of icons and websites, of any scheme that reaches or runs
	Reordered     bool        // both sides hold the same items in another order
	Schema        *Place      // nil outside schemas
	Argument      *Argument   // nil outside the arguments of a prompt
}

// absent reports a side that has nothing at the place.
func absent(raw canon.Raw) bool { return len(raw) == 0 }

// Argument is the prompt argument that a change concerns.
type Argument struct {
	Name                     string
	OldRequired, NewRequired bool
}

// Side tells the two schemas of a tool apart.
type Side string

// The sides. Their text leads the ids of the rules that judge them.
const (
	Input  Side = "in"
	Output Side = "out"
)

// Place is where in a schema a change stands, and what it does.
type Place struct {
	Side     Side
	Node     string // pointer of the schema that holds the keyword
	Label    string // the value it describes, for readers: "filter.tags[]"; "" for the whole
	Keyword  string // that differs, or the one that leads a group of keywords that are understood together; "" when the schema as a whole differs
	Property string // of an object's keywords: the member that came, went, was renamed, or is required on one side
	From     string // the name that a renamed member had

	Same     bool             // both sides mean the same to a machine
	Relation subtype.Relation // what this change alone does to the values that the whole schema allows; zero where Same
	Moot     bool             // with keyword $schema: no keyword of either side means another thing in the other dialect
	Root     bool             // with keyword $schema: it stands at the root, where it counts

	Replaced bool     // with keyword type: the sides have no type in common
	Digests  []string // with Replaced: of both schemas, since what is below them follows from the type
	Refers   bool     // with Replaced: one of them holds a reference
	Retyped  bool     // with keyword enum or const: the same texts, of another type
	Tuple    bool     // with keyword items: items are described by position
	Branches int      // with a composition: how many more branches it has now

	OldObject, NewObject     Openness
	OldRequired, NewRequired bool // of Property
	Sink                     Sink // of a member that came, or of what a pattern or a set of values was for
}

// Openness says whether an object schema takes members that it does not declare.
type Openness int

// The values of Openness. Typed objects take them when they match another schema.
const (
	Open Openness = iota
	Closed
	Typed
)

// Empty reports that nothing differs.
func (d Delta) Empty() bool {
	return len(d.Server)+len(d.Instructions)+len(d.Capabilities)+len(d.Extra)+len(d.VersionsAdded)+len(d.VersionsRemoved)+len(d.Lists) == 0 &&
		d.Protocol == nil && d.Era == nil && d.Transport == nil && d.ClientProfile == nil && d.Endpoint == nil
}
