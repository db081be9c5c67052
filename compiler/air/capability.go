package air

import "slices"

// PredicateCapability is what a claim says of the capability that an operation belongs to. No safety field follows from it.
const PredicateCapability Predicate = "capability"

// Bounds of a capability, in operations. Fewer than the ideal are no fault: a small server has few, and three that belong together are better
// reviewed by themselves than among strangers.
const (
	IdealFewest = 5  // a capability below it is joined to a neighbour where one is near in meaning
	IdealMost   = 15 // above it a reviewer loses sight: a warning
	MostMembers = 20 // above it nothing of the capability is approved without a reason
)

// Memberships returns for each operation the id of the capability that it is a member of; the first by id, where it is in several.
func (d Document) Memberships() map[string]string {
	of := map[string]string{}
	for _, c := range d.Capabilities {
		for _, id := range c.OperationIDs {
			if first, has := of[id]; !has || c.ID < first {
				of[id] = c.ID
			}
		}
	}
	return of
}

// CapabilityContract is what is promised of the approved members of a capability: the part of it that somebody may rely on, and answers for. A
// capability without an approved member has none. All of it follows from the document; its safety is that of its members, so that it is tightened
// where they are, and loosened nowhere.
type CapabilityContract struct {
	SchemaVersion int              `json:"schemaVersion"`
	ID            string           `json:"id"`      // of the capability
	Version       string           `json:"version"` // the server's own
	Service       string           `json:"service"` // id
	DisplayName   string           `json:"displayName"`
	Description   string           `json:"description"`
	OperationIDs  []string         `json:"operationIds"` // of the approved members, by id
	Waiting       int              `json:"waiting"`      // members that nobody has approved or blocked
	Blocked       int              `json:"blocked"`      // members that nobody calls, whoever approves them
	Safety        SafetyProfile    `json:"safetyProfile"`
	Disclosure    []DisclosureNode `json:"disclosure"`     // of the whole, in the order of reading
	Operations    []Disclosed      `json:"operations"`     // one an approved member, by id
	Owner         Owner            `json:"owner,omitzero"` // where all approved members have one owner
	Surface       string           `json:"surface"`        // digest of the signature of the approved members
	Evidence      []Claim          `json:"evidence"`
	Digest        string           `json:"digest"` // of all but the evidence and itself
}

// SafetyProfile is what calling the members of a capability can do at worst.
type SafetyProfile struct {
	ConfirmationRequired   []string `json:"confirmationRequired"`   // ids of operations that wait for a yes
	NonIdempotentMutations []string `json:"nonIdempotentMutations"` // ids of operations that do it twice when they are called twice
	HighestRisk            Risk     `json:"highestRisk"`

	QueryPolicies []StatedPolicy `json:"queryPolicies,omitempty"` // of operations that run what their caller writes, where somebody stated one
}

// StatedPolicy is what people state of the programs that an operation runs. Nothing checks a program.
type StatedPolicy struct {
	Operation string      `json:"operation"` // id
	Policy    QueryPolicy `json:"policy"`
}

// Disclosed is how the members of a capability are told to a model, one after the other, as it asks.
type Disclosed struct {
	ID    string           `json:"id"`
	Nodes []DisclosureNode `json:"nodes"`
}

// DisclosureNode is one thing to read. Ref names it on every surface: "anvil://operation/<id>/schema".
type DisclosureNode struct {
	Kind NodeKind `json:"kind"`
	Ref  string   `json:"ref"`
}

// NodeKind is what a node of a disclosure plan tells.
type NodeKind string

// The kinds of nodes, in the order in which they are read.
const (
	NodeOverview  NodeKind = "overview"
	NodeOperation NodeKind = "operation"
	NodeSchema    NodeKind = "schema"
	NodePolicy    NodeKind = "policy"
)

// Contracts returns the contracts of all capabilities that have an approved member, by id.
func (d Document) Contracts() []CapabilityContract {
	var all []CapabilityContract
	operations, members := map[string]Operation{}, map[string][]string{}
	for _, o := range d.Operations {
		operations[o.ID] = o
	}
	for _, c := range d.Capabilities {
		members[c.ID] = c.OperationIDs
	}
	for _, c := range d.Approved().Capabilities {
		k := d.Service.contract(c, operations)
		for _, id := range members[c.ID] {
			switch operations[id].State {
			case StateApproved:
			case StateBlocked:
				k.Blocked++
			default:
				k.Waiting++
			}
		}
		all = append(all, k.sealed())
	}
	return all
}

// contract makes the contract of c, which has its approved members only.
func (s Service) contract(c Capability, operations map[string]Operation) CapabilityContract {
	k := CapabilityContract{
		SchemaVersion: SchemaVersion, ID: c.ID, Version: s.Version, Service: s.ID, DisplayName: c.DisplayName,
		Description: c.Description, OperationIDs: c.OperationIDs, Evidence: []Claim{},
		Safety:     SafetyProfile{ConfirmationRequired: []string{}, NonIdempotentMutations: []string{}, HighestRisk: RiskNone},
		Disclosure: []DisclosureNode{{NodeOverview, "anvil://capability/" + c.ID}},
	}
	members := Document{Service: s}
	for i, id := range c.OperationIDs {
		o := operations[id]
		members.Operations = append(members.Operations, o)
		k.Safety.add(o)
		k.Operations = append(k.Operations, o.disclosed())
		if i == 0 {
			k.Owner = o.Owner
		} else if k.Owner != o.Owner {
			k.Owner = Owner{}
		}
	}
	for _, e := range c.Evidence {
		if slices.Contains(c.OperationIDs, e.Subject) {
			k.Evidence = append(k.Evidence, e)
		}
	}
	k.Surface = members.Signature().Digest
	return k
}

// sealed returns k with its digest.
func (k CapabilityContract) sealed() CapabilityContract {
	promised := k
	promised.Evidence = nil
	k.Digest = digestOf(promised)
	return k
}

func (s *SafetyProfile) add(o Operation) {
	if o.Confirmation.Required {
		s.ConfirmationRequired = append(s.ConfirmationRequired, o.ID)
	}
	if o.Effect.Kind != Read && o.retryBasis() == BasisUnproven {
		s.NonIdempotentMutations = append(s.NonIdempotentMutations, o.ID)
	}
	if o.QueryPolicy != nil {
		s.QueryPolicies = append(s.QueryPolicies, StatedPolicy{o.ID, *o.QueryPolicy})
	}
	if o.Effect.Risk.Rank() > s.HighestRisk.Rank() {
		s.HighestRisk = o.Effect.Risk
	}
}

// disclosed plans what is told of an operation.
func (o Operation) disclosed() Disclosed {
	base := "anvil://operation/" + o.ID
	nodes := []DisclosureNode{{NodeOperation, base}, {NodeSchema, base + "/schema"}}
	if o.Confirmation.Required || o.QueryPolicy != nil {
		nodes = append(nodes, DisclosureNode{NodePolicy, base + "/policy"})
	}
	return Disclosed{o.ID, nodes}
}
