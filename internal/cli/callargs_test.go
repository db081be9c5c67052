package cli

import (
	"testing"

	"anvil/compiler/canon"
)

const typedSchema = `{
  "type": "object",
  "properties": {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "on": {"type": "boolean"},
    "list": {"type": "array"},
    "map": {"type": "object"},
    "maybe": {"type": ["integer", "null"]},
    "either": {"type": ["string", "integer"]},
    "referred": {"$ref": "#/$defs/a~1b"},
    "chosen": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a~1b"}]},
    "listed": {"enum": [1, 2]},
    "fixed": {"const": true},
    "loop": {"$ref": "#/properties/loop"},
    "foreign": {"$ref": "https://example.com/schema"},
    "any": {}
  },
  "$defs": {"a/b": {"type": "integer"}}
}`

func TestArgumentTypes(t *testing.T) {
	tests := []struct{ name, pair, want string }{
		{"string", `text=hello`, `{"text":"hello"}`},
		{"string of digits", `text=007`, `{"text":"007"}`},
		{"string like JSON", `text={"a":1}`, `{"text":"{\"a\":1}"}`},
		{"string with quotes", `text="x"`, `{"text":"\"x\""}`},
		{"empty string", `text=`, `{"text":""}`},
		{"value with =", `text=a=b`, `{"text":"a=b"}`},
		{"integer", `count=3`, `{"count":3}`},
		{"integer beyond a double", `count=9007199254740993`, `{"count":9007199254740993}`},
		{"integer of 40 digits", `count=1234567890123456789012345678901234567890`, `{"count":1234567890123456789012345678901234567890}`},
		{"integer with a point", `count=1.0`, `{"count":1.0}`},
		{"number", `ratio=0.10`, `{"ratio":0.10}`},
		{"number that is whole", `ratio=2`, `{"ratio":2}`},
		{"boolean", `on=true`, `{"on":true}`},
		{"array", `list=[1,"a"]`, `{"list":[1,"a"]}`},
		{"object", `map={"a":{"b":1.50}}`, `{"map":{"a":{"b":1.50}}}`},
		{"null where it may be", `maybe=null`, `{"maybe":null}`},
		{"integer of two types", `maybe=4`, `{"maybe":4}`},
		{"the narrower of two", `either=4`, `{"either":4}`},
		{"the wider of two", `either=four`, `{"either":"four"}`},
		{"behind a reference", `referred=5`, `{"referred":5}`},
		{"behind a choice", `chosen=5`, `{"chosen":5}`},
		{"of an enum", `listed=2`, `{"listed":2}`},
		{"of a const", `fixed=true`, `{"fixed":true}`},
		{"reference to itself", `loop=x`, `{"loop":"x"}`},
		{"reference to elsewhere", `foreign=1`, `{"foreign":"1"}`},
		{"no type, scalar", `any=1`, `{"any":"1"}`},
		{"no type, object", `any={"a":1}`, `{"any":{"a":1}}`},
		{"not in the schema", `other=true`, `{"other":"true"}`},
	}
	root, err := canon.Parse([]byte(typedSchema))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := objectOfArguments([]string{tt.pair}, root)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestArgumentRefused(t *testing.T) {
	tests := []struct {
		name  string
		pairs []string
		want  string
	}{
		{"no value", []string{"count"}, `--arg "count" is not NAME=VALUE, such as --arg limit=1`},
		{"no name", []string{"=1"}, `--arg "=1" is not NAME=VALUE, such as --arg limit=1`},
		{"no integer", []string{"count=many"}, `--arg count: "many" is no integer`},
		{"a fraction", []string{"count=1.5"}, `--arg count: "1.5" is no integer`},
		{"no boolean", []string{"on=yes"}, `--arg on: "yes" is no boolean`},
		{"no array", []string{"list=a"}, `--arg list: "a" is no array`},
		{"types in one order", []string{"maybe=x"}, `--arg maybe: "x" is no integer or null`},
		{"twice", []string{"count=1", "count=2"}, `--arg count is given twice; give a list as one JSON value: --arg 'count=["a","b"]'`},
	}
	root, err := canon.Parse([]byte(typedSchema))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := objectOfArguments(tt.pairs, root)
			if err == nil || err.Error() != tt.want || exitCode(err) != exitUsage {
				t.Errorf("got %s, %v (exit %d); want %s", got, err, exitCode(err), tt.want)
			}
		})
	}
}

// Without a schema every scalar is text: a tool that is not listed has none.
func TestArgumentWithoutSchema(t *testing.T) {
	got, err := objectOfArguments([]string{"a=1", "b=[2]"}, nil)
	if want := `{"a":"1","b":[2]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
