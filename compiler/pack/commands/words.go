package commands

import (
	"fmt"

	"anvil/compiler/air"
)

// EffectWords say what a call does, as every artifact says it: "may change something (cancel), destructive risk, cannot be undone".
func (c Command) EffectWords() string {
	words := "may change something"
	switch {
	case c.Effect.Kind == air.Read && c.Confirmation.Required && c.Idempotency.Mode != air.IdempotencyNatural:
		words = "is said to read only, which nobody has verified"
	case c.Effect.Kind == air.Read:
		words = "reads and changes nothing"
	}
	words += fmt.Sprintf(" (%s), %s risk", c.Effect.Action, c.Effect.Risk)
	if c.Effect.Kind != air.Read && !c.Effect.Reversible {
		words += ", cannot be undone"
	}
	return words
}

var repeated = map[air.IdempotencyMode]string{
	air.IdempotencyNatural:      "calling twice is as calling once",
	air.IdempotencyClientID:     "calling twice with the same id is as calling once",
	air.IdempotencyKeySupported: "calling twice with the same key is as calling once",
	air.IdempotencyRequired:     "needs a key; calling twice with the same one is as calling once",
	air.IdempotencyNone:         "calling twice may do it twice",
}

// RepeatWords say what calling again does. key spells the name of the argument that carries a key, which is the server's.
func (c Command) RepeatWords(key func(string) string) string {
	words := repeated[c.Idempotency.Mode]
	if c.Idempotency.Mode.Keyed() {
		words += ", in the argument " + key(c.Idempotency.Key)
	}
	if c.Retries.Mode != air.RetrySafe {
		words += "; never repeat it by yourself"
	}
	return words
}
