package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// args reads the arguments of a call by their exact names, with exact numbers. It keeps the first error, which done
// reports, so that a handler reads all of its arguments in a row. Each read removes its property; what is left
// when done is called is unknown to the tool, and refused.
type args struct {
	path   string
	fields map[string]json.RawMessage
	first  *error // shared with the arguments nested in these
}

// parseArgs reads the arguments object of a call. Absent arguments are an empty object.
func parseArgs(raw json.RawMessage) *args {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return nestedArgs("arguments", raw, new(error))
}

func nestedArgs(path string, raw json.RawMessage, first *error) *args {
	a := &args{path: path, first: first}
	if err := json.Unmarshal(raw, &a.fields); err != nil || a.fields == nil {
		a.fail("", "must be an object")
	}
	return a
}

func (a *args) fail(name, problem string) {
	if *a.first == nil {
		*a.first = errors.New(strings.TrimSuffix(a.path+"."+name, ".") + " " + problem)
	}
}

// take removes a property and decodes it into v, which stays as it is when the property is absent.
func (a *args) take(name string, required bool, v any, want string) bool {
	raw, ok := a.fields[name]
	delete(a.fields, name)
	switch {
	case !ok && required:
		a.fail(name, "is required")
	case ok && (string(raw) == "null" || json.Unmarshal(raw, v) != nil):
		a.fail(name, "must be "+want)
	}
	return ok
}

// text returns a required string, which must not be empty.
func (a *args) text(name string) string {
	var s string
	if a.take(name, true, &s, "a string") && s == "" {
		a.fail(name, "must not be empty")
	}
	return s
}

// optionalText returns a string, or fallback when it is absent.
func (a *args) optionalText(name, fallback string) string {
	a.take(name, false, &fallback, "a string")
	return fallback
}

// choice returns a string of the allowed ones; fallback is for an absent one, and "" makes it required.
func (a *args) choice(name, fallback string, allowed []string) string {
	chosen := fallback
	given := a.take(name, fallback == "", &chosen, "a string")
	if given && !slices.Contains(allowed, chosen) {
		a.fail(name, "must be one of "+strings.Join(allowed, ", "))
	}
	return chosen
}

// integer returns an integer in [low, high], or fallback when it is absent.
func (a *args) integer(name string, fallback, low, high int64) int64 {
	number := a.decimal(name, new(big.Rat).SetInt64(fallback))
	if !number.IsInt() || !number.Num().IsInt64() || number.Num().Int64() < low || number.Num().Int64() > high {
		a.fail(name, fmt.Sprintf("must be an integer from %d to %d", low, high))
		return fallback
	}
	return number.Num().Int64()
}

// requiredInteger returns an integer in [low, high] that must be there.
func (a *args) requiredInteger(name string, low, high int64) int64 {
	if _, ok := a.fields[name]; !ok {
		a.fail(name, "is required")
	}
	return a.integer(name, low, low, high)
}

// decimal returns an exact number, or fallback when it is absent. An exponent is refused: a short text such as 1e999999
// would cost as much memory as it likes.
func (a *args) decimal(name string, fallback *big.Rat) *big.Rat {
	var text json.Number
	if raw := a.fields[name]; len(raw) > 0 && raw[0] == '"' {
		a.fail(name, "must be a number") // json.Number would take a string for one
	}
	if !a.take(name, false, &text, "a number") {
		return fallback
	}
	number, ok := new(big.Rat).SetString(string(text))
	if !ok || len(text) > 40 || strings.ContainsAny(string(text), "eE") {
		a.fail(name, "must be a number of at most 40 characters without an exponent")
		return fallback
	}
	return number
}

// object returns the arguments nested in a required object.
func (a *args) object(name string) *args {
	raw := json.RawMessage("{}")
	a.take(name, true, &raw, "an object")
	return nestedArgs(a.path+"."+name, raw, a.first)
}

// list returns the arguments nested in a required array of one to most objects.
func (a *args) list(name string, most int) []*args {
	var items []json.RawMessage
	if a.take(name, true, &items, "an array") && (len(items) == 0 || len(items) > most) {
		a.fail(name, fmt.Sprintf("must hold 1 to %d items", most))
	}
	nested := make([]*args, len(items))
	for i, raw := range items {
		nested[i] = nestedArgs(fmt.Sprintf("%s.%s[%d]", a.path, name, i), raw, a.first)
	}
	return nested
}

// close refuses what nobody read of these arguments. It is for nested ones; their error shows in done of the outermost.
func (a *args) close() {
	for _, name := range slices.Sorted(maps.Keys(a.fields)) {
		a.fail(name, "is not known to this tool")
	}
}

// done closes the arguments and returns the first error of these and of those nested in them.
func (a *args) done() error {
	a.close()
	return *a.first
}
