package gate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// alarmRules are the rules about texts that call for a reader. What they have as information alone is no alarm.
var alarmRules = []string{injectionCues.ID, hiddenText.ID, confusableName.ID, secretInSchema.ID, sensitiveDefault.ID}

// The verdicts on an alarm. What the golden file says is written by who read the text; -update writes unread for what is new.
const (
	alarmTrue   = "true"
	alarmFalse  = "false"
	alarmUnread = "unread"
)

// alarmOf is the line of a firing without its verdict: capture, item, pointer, rule and class of cue. No word of the text is in it.
func alarmOf(capture string, f diag.Finding) string {
	class := "-"
	if f.Rule == injectionCues.ID {
		class, _, _ = strings.Cut(f.Message, ":")
	}
	return strings.Join([]string{capture, f.Subject, f.Pointer, f.Rule, class}, "\t")
}

// readAlarms returns the verdicts of the golden file by line. Its head is what stands before the first blank line.
func readAlarms(t *testing.T, text string) map[string]string {
	t.Helper()
	verdicts := map[string]string{}
	_, body, _ := strings.Cut(text, "\n\n")
	for line := range strings.Lines(body) {
		verdict, alarm, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if _, twice := verdicts[alarm]; twice {
			t.Errorf("judged twice: %s", alarm)
		}
		verdicts[alarm] = verdict
	}
	return verdicts
}

// alarmsText writes the golden file: the rate, computed anew, and a line for each alarm with its verdict.
func alarmsText(alarms []string, verdicts map[string]string, tools int) string {
	lies := 0
	var body strings.Builder
	for _, alarm := range alarms {
		verdict, known := verdicts[alarm]
		if !known {
			verdict = alarmUnread
		}
		if verdict == alarmFalse {
			lies++
		}
		body.WriteString(verdict + "\t" + alarm + "\n")
	}
	return fmt.Sprintf(`%d firings on %d tools, %d false: %.2f false alarms per 1,000 tools
true: what the finding says of the text is so. false: the words are there and do not say that; most often they put a tool first for one task alone.

%s`, len(alarms), tools, lies, 1000*float64(lies)/float64(tools), body.String())
}

// TestAlarms compares the alarms about the texts of captured surfaces with testdata/alarms.txt, where each was read and judged. A firing that is not
// there has to be read; a line that fires no more has to go; and either changes the rate of false alarms.
func TestAlarms(t *testing.T) {
	fired, tools := map[string]bool{}, 0
	whole := corpus.EachOnce(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		tools += len(s.Tools())
		for _, f := range Check(s, Options{Whole: true}).Findings {
			if f.Class != diag.Info && slices.Contains(alarmRules, f.Rule) {
				fired[alarmOf(name, f)] = true
			}
		}
	})
	if !whole {
		return
	}
	golden := filepath.Join("testdata", "alarms.txt")
	old, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	verdicts := readAlarms(t, string(old))
	want := alarmsText(slices.Sorted(maps.Keys(fired)), verdicts, tools)
	if *update {
		if err := os.WriteFile(golden, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		old, verdicts = []byte(want), readAlarms(t, want)
	}
	if diff := gocmp.Diff(strings.Split(string(old), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("(-judged +fires)\n%s", diff)
	}
	for alarm, verdict := range verdicts {
		if verdict != alarmTrue && verdict != alarmFalse {
			t.Errorf("not read yet (%s): %s", verdict, alarm)
		}
	}
}
