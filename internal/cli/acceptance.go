package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/internal/config"
)

// parseAcceptance reads RULE[/TOOL]:UNTIL:REASON, or an entry of gate.accept as YAML.
func parseAcceptance(text string) (gate.Acceptance, error) {
	if strings.HasPrefix(text, "{") {
		entry, err := config.ParseAcceptance(text)
		if err != nil {
			return gate.Acceptance{}, err
		}
		return acceptanceOf(entry)
	}
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 3 {
		return gate.Acceptance{}, fmt.Errorf("give RULE:UNTIL:REASON or RULE/TOOL:UNTIL:REASON, such as hidden-text/search:2027-01-31:known emoji, or an entry of gate.accept: {rule: ..., prompt: ..., until: ..., reason: ...}")
	}
	rule, tool, _ := strings.Cut(parts[0], "/")
	return acceptanceOf(config.Acceptance{Rule: rule, Tool: tool, Until: parts[1], Reason: parts[2]})
}

func acceptanceOf(a config.Acceptance) (gate.Acceptance, error) {
	out := gate.Acceptance{Rule: a.Rule, Fingerprint: a.Fingerprint, Server: a.Server, Tool: a.Tool, Item: a.Item, At: a.At, Reason: strings.TrimSpace(a.Reason), Place: a.Place}
	if a.Until != "" {
		until, err := time.Parse(gate.Day, a.Until)
		if err != nil {
			return out, fmt.Errorf("%q is no day; write it as 2027-01-31", a.Until)
		}
		out.Until = until
	}
	if out.Rule == secretInSurface.ID {
		return out, fmt.Errorf("findings of %s cannot be accepted: the secret would be written to snapshot and pack; have the server keep it to itself", out.Rule)
	}
	return out, out.Check(allRules())
}

// refusing reports a finding for which nothing is adopted. What the bridge and AIR find is settled by not approving the tool.
func refusing(f diag.Finding) bool {
	_, ofBridge := adopt.Rules.Find(f.Rule)
	_, ofDocument := air.Rules.Find(f.Rule)
	return f.Class == diag.Error && !ofBridge && !ofDocument
}

// matters are the findings that decide whether a surface is let in: those that refuse it, those that somebody lets pass, those about the
// acceptances, and the warnings that concern security.
func matters(findings []diag.Finding) []diag.Finding {
	var kept []diag.Finding
	for _, f := range findings {
		if _, about := gate.AcceptanceRules.Find(f.Rule); about || refusing(f) || f.Accepted != nil || warns(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// passed has a line for each finding that somebody lets pass.
func passed(findings []diag.Finding) []string {
	var lines []string
	for _, f := range findings {
		if f.Accepted == nil {
			continue
		}
		at := brief(f.Subject)
		if f.Pointer != "" {
			at += " " + brief(f.Pointer)
		}
		if f.Server != "" {
			at = brief(f.Server) + ": " + at
		}
		lines = append(lines, fmt.Sprintf("let pass: %s, %s, until %s: %s", f.Rule, at, f.Accepted.Until, diag.Printable(f.Accepted.Reason)))
	}
	return lines
}

// tellPassed tells on stderr what is let pass.
func (sh *shell) tellPassed(findings []diag.Finding) {
	for _, line := range passed(findings) {
		fmt.Fprintln(sh.err, sh.clean(line))
	}
}

// howMany bounds how many entries a refusal proposes, and how long one may be.
const (
	howMany = 10
	howLong = 2000
	renewal = 90 * 24 * time.Hour // that an acceptance is proposed for
)

// howToAccept tells how to let pass what refuses a surface, those findings that may be: the entries of gate.accept, and the first of them as a flag; of what
// an acceptance ran out for, which entry needs another day. It is empty when there are none.
func howToAccept(findings []diag.Finding, o gate.Options, file *config.File) string {
	r := remedy{section: "gate", file: file, more: "the next refusal has them, once these are accepted"}
	var open []diag.Finding
	for _, f := range findings {
		if line, ok := renewalOf(f, o.Accepted, o.Now); ok {
			r.renewed = append(r.renewed, line)
		} else {
			open = append(open, f)
		}
	}
	r.entries = acceptEntries(open, o.Now)
	text := r.text(howMany)
	if len(r.entries) > 0 {
		text += "or for this once: --accept " + diag.ShellWord(r.entries[0].String())
	}
	return strings.TrimSuffix(text, "\n")
}

// howToAccept tells it by the configuration and the flags.
func (sh *shell) howToAccept(c *cli.Context, findings []diag.Finding) (string, error) {
	o, err := sh.gateOptions(c)
	if err != nil {
		return "", err
	}
	file, err := sh.loadConfig(c)
	return howToAccept(findings, o, file), err
}

// acceptEntries are the acceptances that would cover the findings: one for each rule and item, and no more of the item than they are about, where
// that is one place. What concerns security is accepted place by place: else one that was looked at would let another pass.
func acceptEntries(findings []diag.Finding, now time.Time) []entry {
	type about struct{ rule, server, tool, item, at string }
	var order []about
	places := map[about][]gate.Acceptance{}
	for _, f := range findings {
		a := gate.For(f)
		a.Reason, a.Until = "say why", now.Add(renewal)
		if !refusing(f) || f.Rule == secretInSurface.ID || a.Check(allRules()) != nil {
			continue
		}
		key := about{a.Rule, a.Server, a.Tool, a.Item, ""}
		if f.Security || key.tool == "" && key.item == "" { // each place of the server is another matter
			key.at = a.At
		}
		if places[key] == nil {
			order = append(order, key)
		}
		places[key] = append(places[key], a)
	}
	var entries []entry
	for _, key := range order {
		a := places[key][0]
		if slices.ContainsFunc(places[key], func(other gate.Acceptance) bool { return other.At != a.At }) {
			a.At = ""
		}
		if len(acceptEntry(a)) <= howLong {
			entries = append(entries, entry{Acceptance: a})
		}
	}
	return entries
}

// acceptEntry is an acceptance as gate.accept or diff.accept has it, on one line.
func acceptEntry(a gate.Acceptance) string {
	var parts []string
	for _, m := range membersOf(a) {
		word := yamlWord(m[1])
		switch m[0] {
		case "rule", "until":
			word = m[1]
		case "fingerprint":
			word = yaml.Quote(m[1]) // one of digits alone would be a number
		}
		parts = append(parts, m[0]+": "+word)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// jsonEntry is the same in JSON.
func jsonEntry(a gate.Acceptance) string {
	var parts []string
	for _, m := range membersOf(a) {
		parts = append(parts, `"`+m[0]+`": `+jsonWord(m[1]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// membersOf are the members of an entry that are given, in their order.
func membersOf(a gate.Acceptance) (members [][2]string) {
	item := [2]string{}
	switch kind, name, _ := strings.Cut(a.Item, "/"); surface.Kind(kind) {
	case surface.ResourceTemplate:
		item = [2]string{"template", name}
	case surface.Prompt, surface.Resource:
		item = [2]string{kind, name}
	}
	rule := a.Rule
	if a.Fingerprint != "" {
		rule = ""
	}
	for _, m := range [][2]string{{"rule", rule}, {"fingerprint", a.Fingerprint}, {"server", a.Server}, {"tool", a.Tool}, item, {"at", a.At},
		{"until", a.Until.UTC().Format(gate.Day)}, {"reason", a.Reason}} {
		if m[1] != "" {
			members = append(members, m)
		}
	}
	return members
}

// jsonWord spells a text as a string of JSON, with everything beyond ASCII as an escape.
func jsonWord(text string) string {
	var b strings.Builder
	for _, r := range string(diag.PrintableJSON(canon.Quote(text))) {
		switch {
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return string(diag.HarmlessQuoted([]byte(b.String())))
}

// plainWord is a text that YAML cannot read as anything else.
var plainWord = regexp.MustCompile(`^[a-z]+[_-][a-z0-9_-]*[a-z0-9]$`)

// yamlWord spells a text as one word of YAML's flow style, quoted unless it plainly is one ("true" and "1e3" are no text there), and with everything
// beyond ASCII as an escape of YAML's: a name that looks like another's must not look like it here.
func yamlWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range yaml.Quote(text) {
		switch one := string(r); {
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r > unicode.MaxASCII || diag.Printable(one) != one:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return string(diag.HarmlessQuoted([]byte(b.String())))
}
