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
	if got := p.Expose("", "files", "read"); got != "mcp__files__read" {
		t.Errorf("exposed as %q", got)
	}
	if got := p.Expose("kit", "files", "read"); got != "mcp__plugin_kit_files__read" {
		t.Errorf("exposed by a plugin as %q", got)
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
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}
