package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// Class is how much a finding matters. The gate uses error, warning and info; the diff uses breaking, risky and safe.
type Class string

// The classes, from the worst on.
const (
	Error    Class = "error"
	Breaking Class = "breaking"
	Risky    Class = "risky"
	Warning  Class = "warning"
	Safe     Class = "safe"
	Info     Class = "info"
)

var ranks = map[Class]int{Error: 4, Breaking: 4, Risky: 3, Warning: 2, Safe: 1, Info: 1}

// Rank orders classes: a higher rank is worse, 0 is no class.
func (c Class) Rank() int { return ranks[c] }

// Finding is one thing that was found, in the shape every JSON report carries (DESIGN.md section 6). Fields that do not apply are empty.
type Finding struct {
	Rule        string     `json:"rule"`
	Class       Class      `json:"class"`
	Security    bool       `json:"security,omitzero"`
	Axis        string     `json:"axis,omitzero"`      // "spec:<revision>" or "client:<profile>"
	Radius      string     `json:"radius,omitzero"`    // what it takes down on that axis: tool, server or client
	Refuses     bool       `json:"refuses,omitzero"`   // the axis refuses what Radius says, whether or not it counts here; else it minds
	Confirmed   string     `json:"confirmed,omitzero"` // the month in which the axis's limit was last confirmed: 2026-11
	Server      string     `json:"server,omitzero"`    // the configured name
	Subject     string     `json:"subject,omitzero"`   // a stable path: "tool/search/inputSchema/properties/limit"
	Tool        string     `json:"tool,omitzero"`
	Pointer     string     `json:"pointer,omitzero"` // RFC 6901, within the subject's item
	Message     string     `json:"message"`          // one sentence, present tense, naming the thing
	Before      canon.Raw  `json:"before,omitzero"`
	After       canon.Raw  `json:"after,omitzero"`
	Witness     canon.Raw  `json:"witness,omitzero"`  // arguments that the schema allowed and refuses now; below /outputSchema, a result that is new; of what is no difference, where else it was found
	ReadOnly    bool       `json:"readOnly,omitzero"` // a call of the witness changes nothing: both sides declare the tool read-only
	Hint        string     `json:"hint,omitzero"`     // what to do next
	Fix         *Fix       `json:"fix,omitzero"`      // what the hint proposes, for programs
	Accepted    *Accepted  `json:"accepted,omitzero"` // somebody let it pass: it fails nothing
	Affects     []Affected `json:"affects,omitempty"` // what it touches of a pack that was given
	Fingerprint string     `json:"fingerprint"`       // from rule, subject and arguments; a reworded message keeps it
}

// Fix is what a hint proposes: one of its members is given.
type Fix struct {
	Alias    string   `json:"alias,omitzero"`    // a name for the tool that every known client takes, from one table over the server's tools
	LeaveOut []string `json:"leaveOut,omitzero"` // tools without which the others fit, the first to go first
	Keep     []string `json:"keep,omitzero"`     // the tools that fit, the first to stay first, where those are fewer
}

// Accepted says why a finding passes, and until which day: 2027-01-31.
type Accepted struct {
	Reason string `json:"reason"`
	Until  string `json:"until"`
}

// Sealed returns f with its fingerprint. args are the typed facts of the finding, besides rule and subject, that make it another one
// when they change.
func (f Finding) Sealed(args ...string) Finding {
	parts := append([]string{f.Rule, f.Server, f.Subject, f.Pointer, string(f.Before), string(f.After)}, args...)
	if f.Axis != "" {
		parts = append(parts, f.Axis)
	}
	text := canon.Quote(strings.Join(parts, "\x00"))
	f.Fingerprint = fingerprint(text)
	return f
}

// FingerprintLength is how many hexadecimal digits a fingerprint has. Findings are accepted by it, and what a server says goes into it: with half as many
// a server could choose two changes of one fingerprint, and show the harmless one first.
const FingerprintLength = 32

func fingerprint(parts ...[]byte) string {
	return strings.TrimPrefix(canon.Digest(parts...), "sha256:")[:FingerprintLength]
}

// IsFingerprint reports a text that is written as a fingerprint is.
func IsFingerprint(text string) bool {
	return len(text) == FingerprintLength && strings.Trim(text, "0123456789abcdef") == ""
}

// Distinct gives findings of one fingerprint one of their own each, by their order and by how many they are.
func Distinct(findings []Finding) {
	alike := map[string][]int{}
	for i, f := range findings {
		alike[f.Fingerprint] = append(alike[f.Fingerprint], i)
	}
	for was, places := range alike {
		for n, i := range places {
			if len(places) > 1 {
				findings[i].Fingerprint = fingerprint([]byte(was), fmt.Appendf(nil, "\x00%d/%d", n+1, len(places)))
			}
		}
	}
}

// On returns f as a finding about the named server; the same finding about another server has another fingerprint.
func (f Finding) On(server string) Finding {
	f.Server = server
	f.Fingerprint = fingerprint([]byte(server), []byte{0}, []byte(f.Fingerprint))
	return f
}

// Sort orders findings by server, subject, pointer, rule, axis and fingerprint: the order of every report.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Server, b.Server), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Pointer, b.Pointer),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Axis, b.Axis), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
}

// Printable returns s with everything that could change what a terminal or a reader sees (control characters, bidirectional and
// invisible characters, bytes that are not UTF-8) as a visible escape, and so what a runner of CI jobs would take for a command in its log, were
// s the head of a line: see [Commands]. It is s again for what it returned.
func Printable(s string) string {
	clean := true
	for _, r := range s {
		clean = clean && visible(r)
	}
	if clean {
		return harmless(s)
	}
	var b strings.Builder
	for _, r := range s {
		if visible(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(escape(r))
		}
	}
	return harmless(b.String())
}
