package invoke

import (
	"fmt"
	"log/slog"
)

// Secret is a text that no way of printing, logging or encoding gives away. The zero value is none.
type Secret struct {
	text *string // behind a pointer: fmt looks into fields that are not exported, without asking their methods
}

// NewSecret keeps a text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text, for the one place that sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty reports that there is none.
func (s Secret) Empty() bool { return s.Reveal() == "" }

const hidden = "[secret]"

// String hides it, and so do the following.
func (s Secret) String() string { return hidden }

// Format hides it from every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

// GoString hides it.
func (s Secret) GoString() string { return hidden }

// LogValue hides it from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides it from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
