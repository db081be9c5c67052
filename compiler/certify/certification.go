package certify

import (
	"fmt"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/learn/view"
)

// SchemaVersion is the version of certification.json that this package reads and writes.
const SchemaVersion = 1

// The files of a certificate in a pack. Both stand outside the pack's digest.
const (
	File         = pack.CertificationFile
	EnvelopeFile = pack.EnvelopeFile
)

// Level is how far a pack was certified.
type Level string

// The levels. A certification is written as passed or failed; it is expired for whoever reads it later.
const (
	StaticPassed Level = "static_passed" // every static check passed; nothing was run
	Failed       Level = "failed"        // a check failed
	Expired      Level = "expired"       // its time is over
)

// Certification is what was checked of one pack, and what came out.
type Certification struct {
	SchemaVersion int        `json:"schemaVersion"`
	Level         Level      `json:"level"`    // as it was issued
	Serial        int        `json:"serial"`   // from 1; that of a later certification of the pack is higher
	IssuedAt      string     `json:"issuedAt"` // RFC 3339 in UTC
	Expires       string     `json:"expires"`  // the first moment at which it holds no more, RFC 3339 in UTC
	ExpiresWhy    string     `json:"expiresWhy"`
	Statement     string     `json:"statement"` // what it says in one sentence
	Subject       Subject    `json:"subject"`
	Policy        Policy     `json:"policy"`
	Checks        []Check    `json:"checks"`
	Gate          Gate       `json:"gate"`
	Base          *BaseDiff  `json:"base,omitzero"` // absent when the pack was compared with nothing
	Tools         []Tool     `json:"tools"`         // by name
	Materials     []Material `json:"materials"`
	NonClaims     []string   `json:"nonClaims"` // what it does not say
	Builder       Builder    `json:"builder"`
}

// Subject is what was certified, by digests.
type Subject struct {
	ID            string   `json:"id"`      // of the pack
	Version       string   `json:"version"` // the server's own
	Mode          string   `json:"mode"`
	Pack          string   `json:"pack"`     // the pack digest
	Snapshot      string   `json:"snapshot"` // of the whole surface, and of its parts:
	Surface       string   `json:"surface"`
	Contract      string   `json:"contract"`
	Text          string   `json:"text"`
	Identity      string   `json:"identity"`
	Signature     string   `json:"surfaceSignature"` // of all operations
	Exposed       string   `json:"exposed"`          // of the approved ones
	ToolsMetadata []string `json:"toolsMetadata"`
	Canon         string   `json:"canon"`
}

// Check is one static check.
type Check struct {
	ID      string  `json:"id"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail"`
}

// Outcome is how a check came out.
type Outcome string

// The outcomes. Only a failure fails a certification.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not_applicable"
	NotRecorded   Outcome = "not_recorded" // nobody wrote down what the check is about
)

// Gate is what the gate says of the surface in the pack, with every rule.
type Gate struct {
	Outcome Outcome         `json:"outcome"`
	Axis    string          `json:"axis"` // the revision it was judged by
	Rules   []RuleResult    `json:"rules"`
	Clients []ClientVerdict `json:"clients"`
}

// RuleResult is one rule of the gate.
type RuleResult struct {
	ID       string `json:"id"`
	Worst    string `json:"worst"`             // pass, info, warning, error: the worst that nobody accepts; or not_evaluated
	Count    int    `json:"count"`             // findings
	Accepted int    `json:"accepted,omitzero"` // of them, let pass by the policy
	Why      string `json:"why,omitzero"`      // it was not evaluated
}

// ClientVerdict is how one client takes the surface, by what was known of it in a month.
type ClientVerdict struct {
	Client    string `json:"client"`
	Required  bool   `json:"required"`  // the policy asks that it takes the surface
	Verdict   string `json:"verdict"`   // taken, warned, refused
	Confirmed string `json:"confirmed"` // the month in which its limits were last confirmed
}

// BaseDiff is what changed since the surface that the pack was compared with.
type BaseDiff struct {
	Base     string             `json:"base"`           // digest of that snapshot
	Worst    diag.Class         `json:"worst,omitzero"` // absent when nothing changed
	Counts   map[diag.Class]int `json:"counts"`
	Security int                `json:"security"`
	Findings []Change           `json:"findings"`
}

// Change is one finding of the comparison.
type Change struct {
	Fingerprint string     `json:"fingerprint"`
	Rule        string     `json:"rule"`
	Class       diag.Class `json:"class"`
	Security    bool       `json:"security,omitzero"`
	Subject     string     `json:"subject"`
	Covered     string     `json:"covered"`           // approval: of the operation as it is now; unexposed: the operation is not approved; none: it is about no operation
	Approval    *Approval  `json:"approval,omitzero"` // that covers it
}

// Approval is the record of who let an operation be called.
type Approval struct {
	By      string `json:"by"`
	At      string `json:"at"`
	Reason  string `json:"reason,omitzero"`
	Expires string `json:"expires,omitzero"`
}

// Tool is the safety record of one tool. Each fact of it carries the claims it follows from, with their sources; a server's hints are untrusted.
type Tool struct {
	Name     string      `json:"name"`
	State    string      `json:"state"`
	Contract string      `json:"contract"` // digest
	Text     string      `json:"text"`     // digest
	Approval *Approval   `json:"approval,omitzero"`
	Safety   view.Safety `json:"safety"`
}

// Material is something the certification was made from.
type Material struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Builder says what made the certification, and how to make it again, byte for byte.
type Builder struct {
	Program string `json:"program"`
	Version string `json:"version"`
	Command string `json:"command"` // PACK stands for the folder
}

// nonClaims are printed on every certification.
var nonClaims = []string{
	"nothing was run: it says nothing of what the server does when a tool is called",
	"it says nothing of the server's code, or of who wrote it",
	"it says nothing of whether the server was honest when it was first captured; it tells later changes",
	"a server's hints are claims of the server's; they are listed as such",
	"it is no official certification: a policy was applied at a time, and whoever signs answers for that",
}

// Encode returns the certification as certification.json.
func (c Certification) Encode() ([]byte, error) {
	data, err := canon.Encode(c)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", File, err)
	}
	return data, nil
}

// Decode reads certification.json strictly: unknown or repeated members, words outside the enumerations and malformed digests and times are errors.
func Decode(data []byte) (Certification, error) {
	var c Certification
	if err := strict(data, &c); err != nil {
		return Certification{}, fmt.Errorf("read %s: %w", File, err)
	}
	if problem := c.malformed(); problem != "" {
		return Certification{}, fmt.Errorf("read %s: %s", File, problem)
	}
	return c, nil
}

func (c Certification) malformed() string {
	issued, issuedErr := time.Parse(time.RFC3339, c.IssuedAt)
	expires, expiresErr := time.Parse(time.RFC3339, c.Expires)
	switch {
	case c.SchemaVersion != SchemaVersion:
		return fmt.Sprintf("schemaVersion is %d, and this version of anvil reads %d; use a newer anvil", c.SchemaVersion, SchemaVersion)
	case c.Level != StaticPassed && c.Level != Failed:
		return fmt.Sprintf("level %q is not known; use a newer anvil", c.Level)
	case c.Serial < 1:
		return fmt.Sprintf("serial %d is not above 0", c.Serial)
	case issuedErr != nil || expiresErr != nil || !expires.After(issued):
		return "issuedAt and expires are no two times in order"
	case c.Subject.ID == "" || !allDigests(c.Subject.digests()...):
		return "a digest of the subject is missing or malformed"
	case !canon.IsDigest(c.Policy.Digest):
		return "the policy has no digest"
	}
	for _, check := range c.Checks {
		if check.ID == "" || !slices.Contains([]Outcome{Pass, Fail, NotApplicable, NotRecorded}, check.Outcome) {
			return fmt.Sprintf("check %q has the outcome %q, which is not known", check.ID, check.Outcome)
		}
	}
	return c.unknownWords()
}

// unknownWords says what it holds that no certification of this anvil's does: other checks, words of the gate's that mean nothing, other non-claims. What is
// printed of a certificate would else be whatever its signer likes.
func (c Certification) unknownWords() string {
	if ids := checkIDs(c.Checks); !slices.Equal(ids, CheckIDs) {
		return fmt.Sprintf("its checks are %q, and those of this anvil are %q", ids, CheckIDs)
	}
	for _, rule := range c.Gate.Rules {
		if !slices.Contains([]string{string(Pass), string(diag.Info), string(diag.Warning), string(diag.Error), notEvaluated}, rule.Worst) {
			return fmt.Sprintf("rule %q came out as %q, which is not known", rule.ID, rule.Worst)
		}
	}
	for _, client := range c.Gate.Clients {
		if !slices.Contains([]string{clientTaken, clientWarned, clientRefused}, client.Verdict) {
			return fmt.Sprintf("client %q has the verdict %q, which is not known", client.Client, client.Verdict)
		}
	}
	if !slices.Equal(c.NonClaims, nonClaims) {
		return "its non-claims are not those of this anvil"
	}
	return ""
}

func checkIDs(checks []Check) []string {
	var ids []string
	for _, c := range checks {
		ids = append(ids, c.ID)
	}
	return ids
}

func (s Subject) digests() []string {
	return append([]string{s.Pack, s.Snapshot, s.Surface, s.Contract, s.Text, s.Identity, s.Signature, s.Exposed}, s.ToolsMetadata...)
}

func allDigests(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !canon.IsDigest(s) })
}

// LevelAt is the level that the certification has at a time.
func (c Certification) LevelAt(now time.Time) Level {
	expires, err := time.Parse(time.RFC3339, c.Expires)
	if c.Level == StaticPassed && (err != nil || !now.Before(expires)) {
		return Expired
	}
	return c.Level
}

// failing returns the checks that failed.
func failing(checks []Check) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.Outcome != Fail })
}

// Failing returns the checks that failed.
func (c Certification) Failing() []Check { return failing(c.Checks) }

// strict reads JSON of our own in which no two readers can read different things: no repeated name, no text that is not well-formed, nothing behind
// the value, no member that is not known.
func strict(data []byte, v any) error {
	n, err := canon.Parse(data)
	if err != nil {
		return err
	}
	if flaws := n.Flaws(); len(flaws) > 0 {
		return fmt.Errorf("%s at %q", flaws[0].Kind, flaws[0].Pointer)
	}
	return canon.Decode(data, v)
}
