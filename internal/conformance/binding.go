package conformance

import (
	"errors"
	"fmt"
	"strconv"

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
		value := arguments
		for _, name := range b.Path() {
			value = value.Get(name)
		}
		if text, ok := value.Str(); ok {
			values[b.Header] = text
		} else if whole, ok := value.Int(); ok {
			values[b.Header] = strconv.FormatInt(whole, 10)
		} else if yes, ok := value.Bool(); ok {
			values[b.Header] = strconv.FormatBool(yes)
		}
	}
	return values
}
