package commands_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack/commands"
	"anvil/compiler/surface"
)

func refunds(t *testing.T) air.Document {
	t.Helper()
	s, err := surface.ReadFile("../../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	return adopt.Bridge(s)
}

// operations makes a document whose operations have the given commands; those that end in "!" are not approved.
func operations(names ...string) air.Document {
	d := air.Document{Service: air.Service{ID: "svc"}}
	for i, name := range names {
		id, state := fmt.Sprintf("svc.op_%d", i), air.StateApproved
		name, hidden := strings.CutSuffix(name, "!")
		if hidden {
			state = air.StateReviewRequired
		}
		words := strings.Split(name, ",")
		d.Operations = append(d.Operations, air.Operation{ID: id, MCP: air.MCP{ToolName: id}, CLI: air.CLI{Command: words[0], Aliases: words[1:]}, State: state})
	}
	return d
}

func TestCommandsAreApprovedOnesUnderOneNameEach(t *testing.T) {
	tests := []struct {
		name     string
		document air.Document
		want     []string // names, aliases behind a comma
	}{
		{"approved only", operations("a", "b!", "c"), []string{"a", "c"}},
		{"aliases", operations("a,x,y"), []string{"a,x,y"}},
		{"two of one name", operations("a", "a"), []string{"svc.op_0", "svc.op_1"}},
		{"case apart", operations("a", "A"), []string{"svc.op_0", "svc.op_1"}},
		{"a hidden one of the name", operations("a", "a!"), []string{"svc.op_0"}},
		{"an alias of another's name", operations("a,b", "b"), []string{"a", "svc.op_1"}},
		{"an alias of another's id", operations("a,svc.op_1", "b"), []string{"a", "b"}},
		{"an alias of its own name", operations("a,A"), []string{"a,A"}},
		{"a flag, a word with a space, nothing", operations("--confirm", "a b", ""), []string{"svc.op_0", "svc.op_1", "svc.op_2"}},
		{"none", operations(), []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{}
			for _, c := range commands.Commands(tt.document) {
				got = append(got, strings.Join(append([]string{c.Name}, c.Aliases...), ","))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCatalogue(t *testing.T) {
	d := refunds(t)
	for i := range d.Operations[:3] {
		d.Operations[i].State = air.StateApproved
	}
	text, err := commands.CatalogueOf(d).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := commands.CatalogueOf(d).Encode()
		if err != nil || string(again) != string(text) {
			t.Fatalf("the catalogue comes out in two ways: %v", err)
		}
	}
	var read struct {
		SchemaVersion int
		Launcher      string
		Signature     string
		Exposed       string
		Groups        []struct{ Commands []string }
		Commands      []struct {
			Command, Operation, Tool string
			Params                   []struct{ Name, Flag, Type string }
			Input                    json.RawMessage
		}
		ExitCodes map[string]string
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if read.SchemaVersion != commands.SchemaVersion || read.Launcher != "refunds" || read.Signature != d.Signature().Digest ||
		read.Exposed != d.Approved().Signature().Digest || len(read.Commands) != 3 || len(read.ExitCodes) != 7 {
		t.Errorf("read %+v", read)
	}
	var names []string
	for i, c := range read.Commands {
		o := d.Operations[i]
		if c.Operation != o.ID || c.Tool != o.MCP.ToolName || !canon.Equal(c.Input, o.Input.Schema) || len(c.Params) != len(air.Params(o.Input.Schema)) {
			t.Errorf("command %+v is not operation %s", c, o.ID)
		}
		names = append(names, c.Command)
	}
	if diff := cmp.Diff(names, read.Groups[0].Commands); diff != "" || len(read.Groups) != 1 {
		t.Errorf("groups %v: %s", read.Groups, diff)
	}
	if strings.Contains(string(text), "delete_customer") {
		t.Error("the catalogue names an operation that nobody approved")
	}
}

// No flag of an operation can be called like one of the command line's own.
func TestOwnFlagsAreReserved(t *testing.T) {
	for _, f := range commands.Flags {
		if !slices.Contains(air.ReservedFlags, f.Name) {
			t.Errorf("--%s is not in air.ReservedFlags", f.Name)
		}
	}
}

func TestMoreThanFlagsHold(t *testing.T) {
	var properties []string
	for i := range 2000 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	d := operations("a")
	d.Operations[0].Input.Schema = canon.Raw(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)
	c := commands.Commands(d)[0]
	if len(c.Params)+c.More != 2000 || c.More == 0 {
		t.Errorf("%d flags and %d more", len(c.Params), c.More)
	}
}
