package main

import (
	"encoding/json"
	"testing"
)

func TestArgsRefuse(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"nothing", ``, "arguments.id is required"},
		{"not an object", `[]`, "arguments must be an object"},
		{"null", `null`, "arguments must be an object"},
		{"name in another case", `{"ID":"a"}`, "arguments.id is required"},
		{"null value", `{"id":null}`, "arguments.id must be a string"},
		{"empty", `{"id":""}`, "arguments.id must not be empty"},
		{"unknown", `{"id":"a","money":{"n":1},"zeal":1,"extra":1}`, "arguments.extra is not known to this tool"},
		{"unknown in nested", `{"id":"a","money":{"n":1,"m":2}}`, "arguments.money.m is not known to this tool"},
		{"fraction", `{"id":"a","money":{"n":1.5}}`, "arguments.money.n must be an integer from 1 to 9007199254740993"},
		{"one above the bound", `{"id":"a","money":{"n":9007199254740994}}`, "arguments.money.n must be an integer from 1 to 9007199254740993"},
		{"number in a string", `{"id":"a","money":{"n":"1"}}`, "arguments.money.n must be a number"},
		{"exponent", `{"id":"a","money":{"n":1e3}}`, "arguments.money.n must be a number of at most 40 characters without an exponent"},
		{"not of the list", `{"id":"a","money":{"n":1},"pick":"c"}`, "arguments.pick must be one of a, b"},
		{"at the bound", `{"id":"a","money":{"n":9007199254740993},"pick":"b"}`, ""},
		{"integer spelled as a fraction", `{"id":"a","money":{"n":2.0}}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := parseArgs(json.RawMessage(test.raw))
			in.text("id")
			nested := in.object("money")
			nested.requiredInteger("n", 1, maxMinor)
			nested.close()
			in.choice("pick", "a", []string{"a", "b"})
			got := ""
			if err := in.done(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("parseArgs(%s): got error %q, want %q", test.raw, got, test.want)
			}
		})
	}
}

func TestArgsKeepNumbersExact(t *testing.T) {
	in := parseArgs(json.RawMessage(`{"n":9007199254740993,"d":0.07}`))
	if got := in.requiredInteger("n", 1, maxMinor); got != 9007199254740993 {
		t.Errorf("integer: got %d, want 9007199254740993", got)
	}
	if got := in.decimal("d", nil).RatString(); got != "7/100" {
		t.Errorf("decimal: got %s, want 7/100", got)
	}
	if err := in.done(); err != nil {
		t.Error(err)
	}
}
