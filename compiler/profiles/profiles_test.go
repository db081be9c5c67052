package profiles

import (
	"strings"
	"testing"
)

func TestAll(t *testing.T) {
	d := All()
	for _, p := range d.Clients {
		if p.Title == "" || p.Announces != "bare" && p.Announces != "full" || len(p.Limits) == 0 {
			t.Errorf("%s: title %q, announces %q, %d limits", p.Axis(), p.Title, p.Announces, len(p.Limits))
		}
	}
	for i, p := range d.Specs {
		if i > 0 && p.ID <= d.Specs[i-1].ID {
			t.Errorf("revision %s stands behind %s", p.ID, d.Specs[i-1].ID)
		}
	}
}

func TestSpec(t *testing.T) {
	for revision, want := range map[string]string{
		"2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2026-07-28": "2026-07-28",
		"2025-09-01": "2025-06-18", "2099-01-01": "2026-07-28", "": "2024-11-05",
	} {
		if got := All().Spec(revision).Axis(); got != "spec:"+want {
			t.Errorf("revision %q is judged by %s, want %s", revision, got, want)
		}
	}
}

func TestClient(t *testing.T) {
	p, err := All().Client("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := p.Limit("name-length"); !ok || l.Max != 128 || l.Confirmed != "2026-11" {
		t.Errorf("name-length: %+v, %t", l, ok)
	}
	if _, ok := p.Limit("no-such-rule"); ok {
		t.Error("a limit for a rule that does not exist")
	}
	if _, err := All().Client("netscape"); err == nil || !strings.Contains(err.Error(), "use one of anthropic-api, claude-code") {
		t.Errorf("an unknown client: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"clients: [{id: a, limits: [{rule: r, class: error, radius: tool, sources: [s]}]}]",
		"confirmed: 2026-13\nclients: [{id: a, limits: [{rule: r, class: error, radius: tool, sources: [s]}]}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [{rule: r, class: fatal, radius: tool, sources: [s]}]}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [{rule: r, class: error, radius: all, sources: [s]}]}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [{rule: r, class: error, radius: tool}]}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [{rule: r, class: error, radius: tool, pattern: '(', sources: [s]}]}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: []}, {id: a, limits: []}]",
		"confirmed: 2026-11\nclients: [{id: a, colour: red, limits: []}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [], view: {tools: tool-budget}}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [{rule: tool-budget, class: error, radius: tool, sources: [s]}], view: {tools: tool-budget}}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [{rule: r, class: error, radius: tool, max: 3, sources: [s]}], view: {drop: r}}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [], naming: {prefix: 'mcp_'}}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [], naming: {prefix: 'mcp_{title}_', sources: [s]}}]",
		"confirmed: 2026-11\nclients: [{id: a, limits: [], naming: {note: n}}]",
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}

// A profile is as old as the oldest of its limits, whatever the data file says of the others.
func TestConfirmed(t *testing.T) {
	d, err := parse([]byte(`confirmed: 2026-11
specs: [{id: x, limits: []}]
clients:
- {id: a, limits: [{rule: r, class: error, radius: tool, sources: [s]}, {rule: q, class: error, radius: tool, sources: [s], confirmed: 2026-03}]}
- {id: b, limits: [{rule: r, class: error, radius: tool, sources: [s], confirmed: 2027-01}]}
- {id: c, limits: [{rule: r, class: error, radius: tool, sources: [s]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2026-03", "2027-01", "2026-11"} {
		if got := d.Clients[i].Confirmed(); got != want {
			t.Errorf("client %s is as of %s, want %s", d.Clients[i].ID, got, want)
		}
	}
	if all, later, none := AsOf(d.Clients), AsOf(d.Clients[1:2]), AsOf(d.Specs); all != "2026-03" || later != "2027-01" || none != "2026-11" {
		t.Errorf("all are as of %s, the second of %s, one without limits of %s", all, later, none)
	}
}

// A view's numbers are those of the limits, and everything that the data says of a profile is among its facts and limits.
func TestFacts(t *testing.T) {
	p, err := All().Client("vscode-copilot")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Max(p.View.Name); got != 64 {
		t.Errorf("names are cut at %d", got)
	}
	cursor, err := All().Client("cursor")
	if err != nil {
		t.Fatal(err)
	}
	if cursor.Shown() != 40 || p.Shown() != 0 {
		t.Errorf("cursor shows %d tools, vscode-copilot %d", cursor.Shown(), p.Shown())
	}
	var text strings.Builder
	for _, fact := range p.Facts() {
		text.WriteString(fact[0] + ": " + fact[1] + "\n")
	}
	for _, want := range []string{
		"announces: full\n", "shows tools as: mcp_{title}_{tool}\n", "{title}: what the server calls itself", "at most 13 characters", "the second gets a 2",
		"dots in names: become _\n", "naming: before May 2026", "as of " + All().Confirmed, "naming sources: microsoft/vscode#249929", "its view: names are cut behind 64 characters (truncation-collision)\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the facts lack %q:\n%s", want, text.String())
		}
	}
}
