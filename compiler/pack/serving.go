package pack

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Serving is how the facade serves a pack, as a person wrote it into the configuration. It stands in facade.yaml.
type Serving struct {
	OnDrift OnDrift `json:"onDrift"`
	Timeout string  `json:"timeout,omitzero"` // of a call without a reply and without progress, such as 30s; empty: by what was learned, else ten minutes
	Audit   Audit   `json:"audit,omitzero"`
	Policy  *Policy `json:"policy,omitempty"` // nil where no call is denied by rules

	Metadata Switch `json:"metadata,omitzero"` // whether tools-metadata is published as resources; where it is not said, it is
	Reports  Switch `json:"reports,omitzero"`  // whether clients may report what they observed; where it is not said, they may not
}

// Keeping is s with what it does not say as it was before: a configuration without the section policy leaves the rules of a pack alone, one with an empty
// section takes them away.
func (s Serving) Keeping(before Serving) Serving {
	if s.OnDrift == (OnDrift{}) {
		s.OnDrift = before.OnDrift
	}
	if s.Policy == nil {
		s.Policy = before.Policy
	}
	if s.Timeout == "" {
		s.Timeout = before.Timeout
	}
	if s.Audit == (Audit{}) {
		s.Audit = before.Audit
	}
	return s.keepingSwitches(before)
}

// OnDrift says what comes of a tool that the server shows otherwise than it was approved, by the class of the change. Words that nobody approved are risky
// whatever the diff says of them, but for letter case and blanks.
type OnDrift struct {
	Safe     Action `json:"safe"`     // it wrongs nobody who could call the tool before, by proof
	Risky    Action `json:"risky"`    // nobody can tell
	Breaking Action `json:"breaking"` // some call that worked works no more
	Security Action `json:"security"` // of whatever class: hints that turn, words that give orders, text that hides
}

// Action is what comes of such a tool.
type Action string

// The actions.
const (
	Serve      Action = "serve"      // it is served as it is now, and the operator is told
	Quarantine Action = "quarantine" // it is withheld until it is approved again, also when the server takes the change back
	Stop       Action = "stop"       // every tool is
)

var actions = []Action{Serve, Quarantine, Stop}

// DefaultOnDrift serves what is safe and withholds the rest.
var DefaultOnDrift = OnDrift{Safe: Serve, Risky: Quarantine, Breaking: Quarantine, Security: Quarantine}

// WithDefaults fills in the actions that are not given. A policy that decides nothing is none.
func (s Serving) WithDefaults() Serving {
	if s.Policy.IsEmpty() {
		s.Policy = nil
	}
	for _, of := range []struct {
		given    *Action
		fallback Action
	}{
		{&s.OnDrift.Safe, DefaultOnDrift.Safe}, {&s.OnDrift.Risky, DefaultOnDrift.Risky},
		{&s.OnDrift.Breaking, DefaultOnDrift.Breaking}, {&s.OnDrift.Security, DefaultOnDrift.Security},
	} {
		if *of.given == "" {
			*of.given = of.fallback
		}
	}
	return s
}

// Check says what is wrong with what a person wrote, as the words behind the name of the file or the section; nil when nothing is.
func (s Serving) Check() error {
	for name, a := range map[string]Action{"safe": s.OnDrift.Safe, "risky": s.OnDrift.Risky, "breaking": s.OnDrift.Breaking, "security": s.OnDrift.Security} {
		if a != "" && !slices.Contains(actions, a) {
			return fmt.Errorf("onDrift.%s %q is not known; it is serve, quarantine or stop", name, a)
		}
	}
	if d, err := time.ParseDuration(s.Timeout); s.Timeout != "" && (err != nil || d <= 0) {
		return fmt.Errorf("timeout %q is no time; write one such as 30s or 2m", s.Timeout)
	}
	if s.Policy != nil {
		for _, problem := range s.Policy.Problems() {
			return fmt.Errorf("policy%s: %s", problem.Pointer, problem.Text)
		}
	}
	if wrong := s.Audit.check(); wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

// CallTimeout is how long a call may take without a reply and without progress; 0 where the pack leaves that to what was learned, or to the facade.
func (s Serving) CallTimeout() time.Duration {
	d, _ := time.ParseDuration(s.Timeout)
	return max(0, d)
}
