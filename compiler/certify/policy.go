package certify

import (
	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/profiles"
)

// PolicyID names what the static level asks for: the checks of this package.
const PolicyID = "anvil-static/1"

// Policy is what a pack was held to. Its digest covers all of it but itself.
type Policy struct {
	ID       string     `json:"id"`
	Digest   string     `json:"digest"`
	Rules    string     `json:"rules"`    // digest of the gate's catalogue: ids, classes and texts
	Profiles string     `json:"profiles"` // digest of what is known of the clients
	MaxTools int        `json:"maxTools,omitzero"`
	Clients  []string   `json:"clients"` // that have to take the surface
	Accepted []Accepted `json:"accepted"`
}

// Accepted is one acceptance of the policy.
type Accepted struct {
	Rule   string `json:"rule"`
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool,omitzero"`
	Item   string `json:"item,omitzero"`
	At     string `json:"at,omitzero"`
	Until  string `json:"until"`
	Reason string `json:"reason"`
}

func (r *run) policy() Policy {
	p := Policy{ID: PolicyID, Rules: digestOf(gate.Rules), Profiles: digestOf(profiles.All()), MaxTools: r.Gate.MaxTools, Clients: []string{}, Accepted: []Accepted{}}
	p.Clients = append(p.Clients, r.Gate.Clients...)
	for _, a := range r.Gate.Accepted {
		p.Accepted = append(p.Accepted, Accepted{a.Rule, a.Server, a.Tool, a.Item, a.At, a.Until.Format(gate.Day), a.Reason})
	}
	p.Digest = p.computeDigest()
	return p
}

func (p Policy) computeDigest() string {
	p.Digest = ""
	return digestOf(p)
}

// digestOf digests data of anvil's own, "" when it cannot be written.
func digestOf(v any) string {
	digest, _ := canon.DigestValue(v)
	return digest
}
