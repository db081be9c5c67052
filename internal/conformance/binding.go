package conformance

import (
	"errors"
	"fmt"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// bindings returns the headers to which an input schema binds arguments. One that breaks a rule of theirs makes its tool unusable.
func bindings(input *canon.Node) ([]schema.Binding, error) {
	found, faults := schema.Analyse(input).Bindings()
	var problems []error
	for _, f := range faults {
		problems = append(problems, fmt.Errorf("%s%s %s", f.At.Pointer(), canon.Pointer(schema.HeaderKeyword), f.Message))
	}
	return found, errors.Join(problems...)
}

// mirrored returns the headers for the arguments of a call: those given, not null, and of a kind that a header can carry.
func mirrored(bound []schema.Binding, arguments *canon.Node) map[string]string {
	values := map[string]string{}
	for _, b := range bound {
		if text, ok := b.Value(arguments); ok {
			values[b.Header] = text
		}
	}
	return values
}
