package cli

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/internal/config"
)

// remedy is how to let pass what fails: entries for the configuration that is in use, and those that it has and that ran out.
type remedy struct {
	section string       // gate or diff
	file    *config.File // nil when there is none yet
	more    string       // how to get the entries that are left out
	entries []entry
	renewed []string // a line for each entry that needs another day
}

// entry is an acceptance to paste, and what it is about where it does not say so itself.
type entry struct {
	gate.Acceptance
	about string
}

func (e entry) String() string {
	if e.about == "" {
		return acceptEntry(e.Acceptance)
	}
	return acceptEntry(e.Acceptance) + " # " + e.about
}

const toLetPass = "to let pass what you have looked at, "

// lead says where the entries go. A second section of the name would be refused, and a new file would stand before the one in use.
func (r remedy) lead() string {
	where := "put it into anvil.yaml"
	if r.file != nil {
		switch section, list := r.file.Accepts(r.section); {
		case list:
			where = "add it to " + r.section + ".accept in " + r.file.Path
		case section:
			where = "add it to " + r.section + " in " + r.file.Path
		default:
			where = "put it into " + r.file.Path
		}
	}
	if len(r.entries) > 0 && r.section == "diff" && r.entries[0].Server == "" {
		where += ", for `anvil mcp diff` alone (`anvil mcp check` knows a server by its configured name: give that as NEW)"
	}
	return toLetPass + diag.Printable(where) + ":"
}

// paste are the entries, so many at most, as the file has them.
func (r remedy) paste(most int) string {
	section, list := false, false
	if r.file != nil {
		section, list = r.file.Accepts(r.section)
		if r.file.IsJSON() {
			return r.pasteJSON(most, section, list)
		}
	}
	text := ""
	if !section {
		text += r.section + ":\n"
	}
	if !list {
		text += "  accept:\n"
	}
	for _, e := range r.entries[:min(most, len(r.entries))] {
		text += "    - " + e.String() + "\n"
	}
	if more := len(r.entries) - most; more > 0 {
		text += fmt.Sprintf("    # and %d more: %s\n", more, r.more)
	}
	return text
}

// pasteJSON spells them as JSON. It has no remarks there, so the reason says what each is about.
func (r remedy) pasteJSON(most int, section, list bool) string {
	var lines []string
	for _, e := range r.entries[:min(most, len(r.entries))] {
		if e.about != "" {
			e.Reason += " (" + e.about + ")"
		}
		lines = append(lines, "  "+jsonEntry(e.Acceptance))
	}
	text := strings.Join(lines, ",\n") + "\n"
	switch {
	case !section:
		text = `"` + r.section + `": {"accept": [` + "\n" + text + "]}\n"
	case !list:
		text = `"accept": [` + "\n" + text + "]\n"
	}
	if more := len(r.entries) - most; more > 0 {
		text += fmt.Sprintf("// and %d more: %s\n", more, r.more)
	}
	return text
}

const toRenew = "these acceptances ran out; look again, then change the day of the entry:"

// renew are the lines about entries that need another day, so many at most.
func (r remedy) renew(most int) string {
	text := ""
	for _, line := range r.renewed[:min(most, len(r.renewed))] {
		text += "    " + line + "\n"
	}
	if more := len(r.renewed) - most; more > 0 {
		text += fmt.Sprintf("    and %d more: %s\n", more, r.more)
	}
	return text
}

// text is all of it; "" when there is nothing to say.
func (r remedy) text(most int) (text string) {
	if len(r.renewed) > 0 {
		text = toRenew + "\n" + r.renew(most)
	}
	if len(r.entries) > 0 {
		text += r.lead() + "\n" + r.paste(most)
	}
	return text
}

// writeMarkdown writes it folded. Nothing that a server says begins a line of it, so nothing ends a fence.
func (r remedy) writeMarkdown(w io.Writer, most int) {
	block := func(summary, language, text string) {
		fmt.Fprintf(w, "\n<details><summary>%s</summary>\n\n```%s\n%s```\n\n</details>\n", html.EscapeString(summary), language, text)
	}
	if len(r.renewed) > 0 {
		block(toRenew, "text", r.renew(most))
	}
	if len(r.entries) > 0 {
		language := "yaml"
		if r.file != nil && r.file.IsJSON() {
			language = "json"
		}
		block(r.lead(), language, r.paste(most))
	}
}

// renewalOf looks for the acceptance that ran out and let the finding pass before: another entry beside it would leave it behind.
func renewalOf(f diag.Finding, accepted []gate.Acceptance, now time.Time) (line string, ok bool) {
	i := slices.IndexFunc(accepted, func(a gate.Acceptance) bool { return a.Covers(f) && !a.Holds(now) })
	if i < 0 {
		return "", false
	}
	return diag.Printable(fmt.Sprintf("%s: until: %s # %s %s", accepted[i].Place, now.Add(renewal).UTC().Format(gate.Day), f.Rule, yamlWord(diag.Shorten(placeOf(f), maxCell)))), true
}

// placeOf is where a finding is within its server.
func placeOf(f diag.Finding) string {
	if f.Pointer == "" {
		return f.Subject
	}
	return f.Subject + " " + f.Pointer
}

// leftOf are the findings about acceptances, as [gate.Leftovers]; of those that cover nothing because there is no such server they say so.
func leftOf(file *config.File, accepted []gate.Acceptance, covered []bool, now time.Time) (left []diag.Finding) {
	for i, a := range accepted {
		found := gate.Leftovers([]gate.Acceptance{a}, covered[i:i+1], now)
		for n := range found {
			if !covered[i] && isOfNobody(file, a) {
				found[n].Message += fmt.Sprintf("; %s has no server %q", file.Path, a.Server)
				found[n].Hint = "correct the server in the acceptance" + atPlace(a) + ", or remove it"
			}
		}
		left = append(left, found...)
	}
	return left
}

// isOfNobody reports an acceptance for a server that is not configured.
func isOfNobody(file *config.File, a gate.Acceptance) bool {
	return file != nil && a.Server != "" && !slices.Contains(file.Names(), a.Server)
}

func atPlace(a gate.Acceptance) string {
	if a.Place == "" {
		return ""
	}
	return " at " + a.Place
}
