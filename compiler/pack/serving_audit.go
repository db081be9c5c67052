package pack

import (
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Audit is where the facade keeps a log of calls, and what comes of them while it cannot. In text it has the members file (a path, relative to where the pack is
// served), required (true where it is left out) and payloads.
type Audit struct {
	File     string // "" for none
	Waived   bool   // required: false, so that calls are served without a record where none can be kept
	Payloads bool   // records hold the text of arguments and results, without credentials and cut at 4096 bytes each
}

type auditText struct {
	File     string `json:"file,omitzero"`
	Required *bool  `json:"required,omitempty"`
	Payloads bool   `json:"payloads,omitzero"`
}

// MarshalJSON writes what is not the default.
func (a Audit) MarshalJSON() ([]byte, error) {
	text := auditText{File: a.File, Payloads: a.Payloads}
	if a.Waived {
		text.Required = new(bool)
	}
	return canon.EncodeCompact(text)
}

// UnmarshalJSON reads it strictly.
func (a *Audit) UnmarshalJSON(data []byte) error {
	var text auditText
	if err := canon.Decode(data, &text); err != nil {
		return err
	}
	*a = Audit{File: text.File, Waived: text.Required != nil && !*text.Required, Payloads: text.Payloads}
	return nil
}

// check says what is wrong with it, as Serving.Check does.
func (a Audit) check() string {
	if a.File != "" && !diag.Legible(a.File) {
		return "audit.file is no path that somebody could read"
	}
	return ""
}
