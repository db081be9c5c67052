package export

import (
	"strings"
	"testing"

	"anvil/compiler/diag"
)

// letPass is a report with one finding that somebody lets pass, and one of the same rule that nobody does.
func letPass(text string) diag.Report {
	accepted := diag.Finding{Rule: "hidden-text", Class: diag.Info, Security: true, Subject: "tool/a", Tool: "a", Message: "hides", Accepted: &diag.Accepted{Reason: text, Until: "2027-01-31"}}
	return diag.NewReport("inspect", []diag.Finding{
		accepted.Sealed(), {Rule: "other", Class: diag.Error, Security: true, Subject: "tool/b", Message: "fails", Fingerprint: "1"},
		{Rule: "mixed", Class: diag.Info, Subject: "tool/c", Message: "passes", Accepted: accepted.Accepted, Fingerprint: "2"},
		{Rule: "mixed", Class: diag.Info, Subject: "tool/d", Message: "informs", Fingerprint: "3"},
	})
}

// TestAcceptedFindings are suppressed, notices, and no failures: none is louder than that, whatever it concerns.
func TestAcceptedFindings(t *testing.T) {
	tool := testTool()
	tool.Threshold = diag.FailOnWarning
	text := formats(t, letPass("seen"), tool)
	results := sarifRunOf(t, letPass("seen"), tool).Get("results").Elements()
	for _, result := range results {
		suppressions := result.Get("suppressions").Elements()
		of := result.Get("locations").Elements()[0].Get("logicalLocations").Elements()[0].Get("fullyQualifiedName").Text()
		if accepted := of == "tool/a" || of == "tool/c"; accepted != (len(suppressions) == 1) {
			t.Errorf("%s has %d suppressions", of, len(suppressions))
		} else if accepted && (suppressions[0].Get("kind").Text() != "external" || suppressions[0].Get("justification").Text() != "seen (until 2027-01-31)" || result.Get("level").Text() != "note") {
			t.Errorf("%s is suppressed as %s, at level %s", of, suppressions[0].Raw, result.Get("level").Raw)
		}
	}
	for _, line := range []string{"::notice file=server.snapshot.json,title=anvil%3A hidden-text::tool/a: hides%0Aaccepted until 2027-01-31: seen\n",
		"::error file=server.snapshot.json,title=anvil%3A other::tool/b: fails"} {
		if !strings.Contains(text["github"], line) {
			t.Errorf("no line %q in\n%s", line, text["github"])
		}
	}
	suite := readJUnit(t, []byte(text["junit"]))[0]
	if suite.Failures != 1 || !strings.Contains(suite.Out, "hidden-text [security]  tool/a\n         hides\n         accepted until 2027-01-31: seen\n") {
		t.Errorf("what is accepted stands in the output, and fails nothing:\n%s", text["junit"])
	}
}

// TestAcceptedIsFit validates the report with every hostile text as the reason.
func TestAcceptedIsFit(t *testing.T) {
	schema := publishedSchema(t)
	for name, text := range hostile {
		all := formats(t, letPass(text), testTool())
		if err := validate(t, schema, all["sarif"]); err != nil {
			t.Errorf("%s: %.2000v", name, err)
		}
		readJUnit(t, []byte(all["junit"]))
		for format, text := range all {
			for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", ""), "\n") {
				if line = ownCommand.ReplaceAllString(line, ""); line != diag.Printable(line) {
					t.Errorf("%s, %s: a line is not fit to be shown: %.200q", name, format, line)
				}
			}
		}
	}
}
