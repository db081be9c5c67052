package diag

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

func TestFingerprint(t *testing.T) {
	base := Finding{Rule: "tool-removed", Subject: "tool/a", Message: "tool a is gone"}.Sealed("x")
	reworded := Finding{Rule: "tool-removed", Subject: "tool/a", Message: "a was removed", Hint: "new hint"}.Sealed("x")
	if base.Fingerprint != reworded.Fingerprint || len(base.Fingerprint) != FingerprintLength {
		t.Errorf("%q, %q", base.Fingerprint, reworded.Fingerprint)
	}
	for name, other := range map[string]Finding{
		"rule":    Finding{Rule: "tool-added", Subject: "tool/a"}.Sealed("x"),
		"subject": Finding{Rule: "tool-removed", Subject: "tool/b"}.Sealed("x"),
		"value":   Finding{Rule: "tool-removed", Subject: "tool/a", After: canon.Raw("1")}.Sealed("x"),
		"args":    Finding{Rule: "tool-removed", Subject: "tool/a"}.Sealed("y"),
	} {
		if other.Fingerprint == base.Fingerprint {
			t.Errorf("%s does not count", name)
		}
	}
}

func TestFindingOnServersDiffers(t *testing.T) {
	f := Finding{Rule: "tool-removed", Subject: "tool/a"}.Sealed("x")
	a, b := f.On("a"), f.On("b")
	if a.Fingerprint == b.Fingerprint || a.Fingerprint == f.Fingerprint || a.Server != "a" || len(a.Fingerprint) != FingerprintLength {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestReport(t *testing.T) {
	r := NewReport("diff", []Finding{
		{Rule: "b", Class: Safe, Subject: "tool/z"}, {Rule: "a", Class: Breaking, Subject: "tool/a", Security: true}, {Rule: "c", Class: Risky, Subject: "tool/a"},
	})
	if r.Summary.Worst != Breaking || r.Summary.Security != 1 || r.Findings[0].Rule != "a" || r.Findings[2].Rule != "b" {
		t.Errorf("%+v", r)
	}
	if got := r.Summary.Line(); got != "1 breaking, 1 risky, 1 safe (1 concerning security)" {
		t.Error(got)
	}
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := canon.Decode(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if empty := NewReport("diff", nil); empty.Findings == nil || empty.Summary.Line() != "no findings" {
		t.Errorf("%+v", empty)
	}
}

func TestThreshold(t *testing.T) {
	tests := []struct {
		threshold Threshold
		finding   Finding
		want      bool
	}{
		{FailOnRisky, Finding{Class: Safe}, false},
		{FailOnRisky, Finding{Class: Safe, Security: true}, true},
		{FailOnRisky, Finding{Class: Risky}, true},
		{FailOnBreaking, Finding{Class: Risky}, false},
		{FailOnBreaking, Finding{Class: Breaking}, true},
		{FailOnSecurity, Finding{Class: Breaking}, false},
		{FailOnSecurity, Finding{Class: Safe, Security: true}, true},
		{FailOnAny, Finding{Class: Info}, true},
		{FailOnError, Finding{Class: Warning}, false},
		{FailOnError, Finding{Class: Error}, true},
		{FailOnWarning, Finding{Class: Warning}, true},
		{FailOnWarning, Finding{Class: Info}, false},
	}
	for _, tt := range tests {
		if got := tt.threshold.Fails(tt.finding); got != tt.want {
			t.Errorf("%s, %+v: %v", tt.threshold, tt.finding, got)
		}
	}
	if _, err := ParseThreshold("risk", FailOnRisky, FailOnAny); err == nil || !strings.Contains(err.Error(), "risky, any") {
		t.Errorf("error %v does not name the choices", err)
	}
}

func TestPrintable(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain é 漢 😀", "plain é 漢 😀"},
		{"a\x1b[31mred\n", `a\u001b[31mred\n`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"bidi\u202e", `bidi\u202e`},
		{"tag\U000E0041", `tag\u{e0041}`},
		{"variation\ufe0f", `variation\ufe0f`},
		{"\xff", `\ufffd`},
		{"no-break\u00a0space", `no-break\u00a0space`},
	}
	for _, tt := range tests {
		if got := Printable(tt.in); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"packs/a.b-c_d": "packs/a.b-c_d", "": "''", "my pack": "'my pack'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a;b": "'a;b'", "$(x)": "'$(x)'",
	} {
		if got := ShellWord(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestRenderedTextCannotBreakOut(t *testing.T) {
	evil := "x\x1b]0;t\a\n| a | <script> `code` [l](http://e) @team ## h"
	r := NewReport("inspect", []Finding{{Rule: "r", Class: Error, Server: "s", Subject: "tool/" + evil, Pointer: "/p", Message: evil, Hint: "do"}})
	var text, markdown strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\a") || strings.Count(text.String(), "\n") != 3 {
		t.Errorf("text: %q", text.String())
	}
	row := strings.Split(strings.TrimSpace(markdown.String()), "\n")
	last := row[len(row)-1]
	if len(row) != 5 || strings.Contains(last, "<script") || strings.Contains(last, "://") || strings.Contains(last, "@team") {
		t.Errorf("markdown: %s", markdown.String())
	}
}

func TestCatalog(t *testing.T) {
	c := NewCatalog(Rule{ID: "b-rule", Class: Error}, Rule{ID: "a-rule", Class: Risky, Security: true})
	r, ok := c.Find("a-rule")
	if !ok || c[0].ID != "a-rule" {
		t.Fatal("not sorted, or not found")
	}
	if diff := cmp.Diff(Finding{Rule: "a-rule", Class: Risky, Security: true, Subject: "tool/x", Message: "m"}, r.Finding("tool/x", "m")); diff != "" {
		t.Error(diff)
	}
	if _, ok := c.Find("c-rule"); ok {
		t.Error("found a rule that is not there")
	}
	for name, rules := range map[string][]Rule{"twice": {{ID: "a"}, {ID: "a"}}, "no id": {{}}, "upper case": {{ID: "A"}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			NewCatalog(rules...)
		}()
	}
}

// What was appended to a long text is what its reader has to see.
func TestTextShowsWhereTheSidesPart(t *testing.T) {
	long := strings.Repeat("all the same ", 20)
	f := Finding{Rule: "r", Class: Risky, Subject: "s", Message: "m", Before: canon.Quote(long), After: canon.Quote(long + "and then send it away")}
	var text, markdown strings.Builder
	r := NewReport("diff", []Finding{f})
	if err := errors.Join(r.WriteText(&text), r.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), markdown.String()} {
		if !strings.Contains(out, "and then send it away") || !strings.Contains(out, `…`) {
			t.Errorf("the report hides what changed:\n%s", out)
		}
	}
}

// TestDistinct gives findings that nothing tells apart one fingerprint each: one that was accepted does not stand for the other, nor for what is left of
// more of them.
func TestDistinct(t *testing.T) {
	alike := func(n int) map[string]bool {
		findings := []Finding{Finding{Rule: "other"}.Sealed()}
		for range n {
			findings = append(findings, Finding{Rule: "duplicate-removed", Subject: "tool/a"}.Sealed())
		}
		alone := findings[0].Fingerprint
		Distinct(findings)
		if findings[0].Fingerprint != alone {
			t.Error("a finding like no other has another fingerprint now")
		}
		prints := map[string]bool{}
		for _, f := range findings[1:] {
			if !IsFingerprint(f.Fingerprint) {
				t.Errorf("%q is no fingerprint", f.Fingerprint)
			}
			prints[f.Fingerprint] = true
		}
		if len(prints) != n {
			t.Errorf("%d findings have %d fingerprints", n, len(prints))
		}
		return prints
	}
	seen := map[string]bool{}
	for n := range 5 {
		for print := range alike(n) {
			if seen[print] {
				t.Errorf("one of %d is one of fewer too", n)
			}
			seen[print] = true
		}
	}
}

func TestIsFingerprint(t *testing.T) {
	good := Finding{Rule: "r"}.Sealed().Fingerprint
	for _, text := range []string{"", good[1:], good + "0", strings.ToUpper("abcdef" + good[6:]), good[:31] + "g", good[:31] + " ", good[:31] + "é"} {
		if IsFingerprint(text) {
			t.Errorf("%q passes", text)
		}
	}
	if !IsFingerprint(good) {
		t.Errorf("%q does not pass", good)
	}
}
