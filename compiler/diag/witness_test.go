package diag

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

// TestNoCall: what a finding about one surface carries is no call, and neither is what is no object of arguments.
func TestNoCall(t *testing.T) {
	for _, f := range []Finding{
		{Rule: "r", Class: Warning, Tool: "search", Pointer: "/inputSchema", Witness: canon.Raw(`{"oneOf":["/inputSchema/properties/a"]}`)},
		{Rule: "r", Class: Error, Tool: "search", Witness: canon.Raw(`["a","b"]`)},
		{Rule: "r", Class: Breaking, Tool: "search", Pointer: "/inputSchema", Witness: canon.Raw(`"text"`)},
	} {
		var text, page bytes.Buffer
		if err := NewReport("x", []Finding{f}).WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if err := NewReport("x", []Finding{f}).WriteMarkdown(&page); err != nil {
			t.Fatal(err)
		}
		if call, ok := f.Call(); ok || strings.Contains(text.String()+page.String(), "anvil mcp call") {
			t.Errorf("%s: a call was made of %s: %s", f.Class, f.Witness, call)
		}
		if f.Class != Breaking && !strings.Contains(text.String(), "found in: "+string(f.Witness)) {
			t.Error(text.String())
		}
	}
}

// TestCall has a shell read the call of hostile witnesses back.
func TestCall(t *testing.T) {
	tests := []struct {
		name, tool, pointer, witness string
		ok                           bool
	}{
		{"plain", "search", "/inputSchema/required", `{"q":""}`, true},
		{"quotes", "it's", "/inputSchema", `{"q":"it's $(id) ` + "`id`" + ` \\ \""}`, true},
		{"controls", "a\nb", "/inputSchema", `{"q":"\u001b[31m\u202e"}`, true},
		{"a result", "search", "/outputSchema/properties/a", `{}`, false},
		{"no tool", "", "/inputSchema", `{}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Finding{Rule: "r", Class: Breaking, Tool: tt.tool, Pointer: tt.pointer, Witness: canon.Raw(tt.witness)}
			call, ok := f.Call()
			if ok != tt.ok {
				t.Fatalf("got %v: %s", ok, call)
			}
			if !ok {
				return
			}
			if Printable(call) != call {
				t.Errorf("not fit to be shown: %q", call)
			}
			out, err := exec.Command("sh", "-c", "printf '%s\n' "+call).Output()
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if len(words) != 7 || words[3] != "SERVER" || words[4] != Printable(tt.tool) || words[5] != "--json" || !canon.Equal([]byte(words[6]), []byte(tt.witness)) {
				t.Errorf("a shell reads %q", words)
			}
		})
	}
}

func TestWitnessIsRendered(t *testing.T) {
	f := Finding{Rule: "r", Class: Breaking, Server: "shop", Tool: "search", Subject: "tool/search", Pointer: "/inputSchema", Message: "m", Witness: canon.Raw(`{"q":1}`)}
	g, h := f, f
	g.Pointer = "/outputSchema"
	h.Pointer, h.ReadOnly = "/inputSchema/required", true
	var text, markdown strings.Builder
	r := NewReport("diff", []Finding{f, g, h})
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `the schema allowed it before and refuses it now; the call runs the tool: anvil mcp call shop search --json '{"q":1}'`) ||
		!strings.Contains(text.String(), `the schema allowed it before and refuses it now: anvil mcp call shop search`) ||
		!strings.Contains(text.String(), `a result that could not be before: {"q":1}`) {
		t.Errorf("text:\n%s", text.String())
	}
	if !strings.Contains(markdown.String(), "anvil mcp call shop search --json '{\"q\":1}'") {
		t.Errorf("markdown:\n%s", markdown.String())
	}
	page := string(r.Page(PageOptions{}))
	if !strings.Contains(page, "\nThe schema allowed it before and refuses it now; the call runs the tool:\n") || !strings.Contains(page, "\nThe schema allowed it before and refuses it now:\n") {
		t.Errorf("page:\n%s", page)
	}
}
