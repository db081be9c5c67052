package diff

import (
	"cmp"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var hintRules = []entry{
	{"hint-readonly-lost", diag.Breaking, true, "A tool is no longer declared read-only",
		"Calls that were let through without asking may now change something.", "Have calls confirmed, and approve the tool again."},
	{"hint-readonly-gained", diag.Risky, true, "A tool is declared read-only now",
		"On the server's word alone clients would stop asking.", "Keep confirmation until you have seen that it changes nothing."},
	{"hint-destructive-gained", diag.Breaking, true, "A tool is declared destructive now",
		"Its calls need confirmation.", "Have calls confirmed, and approve the tool again."},
	{"hint-destructive-lost", diag.Risky, true, "A tool is no longer declared destructive",
		"On the server's word alone a guard would fall.", "Keep the guard until you have seen that it deletes nothing."},
	{"hint-idempotent-lost", diag.Breaking, false, "A tool is no longer declared idempotent",
		"A retry now has a second effect.", "Stop retrying its calls."},
	{"hint-idempotent-gained", diag.Risky, true, "A tool is declared idempotent now",
		"On the server's word alone failed calls would be retried.", "Do not retry until you have seen that a repeated call has one effect."},
	{"hint-openworld-gained", diag.Risky, true, "A tool reaches beyond the server now",
		"What it is given can leave, and what it returns can come from anyone.", "Check what data it may be given."},
	{"hint-openworld-lost", diag.Risky, false, "A tool is no longer declared to reach beyond the server",
		"On the server's word alone its results would be trusted.", "Keep treating its results as foreign until you know better."},
	{"hint-made-explicit", diag.Safe, false, "A hint is stated that was a default, or the reverse",
		"The value is the same after the protocol's defaults.", "Nothing to do."},
	{"hint-contradiction", diag.Risky, true, "A tool is declared read-only and destructive at once",
		"One of the two is wrong; the safer one has to be believed.", "Treat the tool as destructive and report it to the vendor."},
	{"hint-irrelevant", diag.Safe, false, "A hint changed that means nothing for a read-only tool",
		"Destructive and idempotent are defined for tools that change something.", "Nothing to do."},
}

// hintTable says, per hint, which rule each turn fires. Guarded hints mean nothing while the tool is read-only.
var hintTable = []struct {
	member          string
	get             func(surface.Hints) bool
	gained, lost    string
	isNow, isNoMore string
	guarded         bool
}{
	{"readOnlyHint", func(h surface.Hints) bool { return h.ReadOnly }, "hint-readonly-gained", "hint-readonly-lost",
		"is declared read-only now", "is no longer declared read-only", false},
	{"destructiveHint", func(h surface.Hints) bool { return h.Destructive }, "hint-destructive-gained", "hint-destructive-lost",
		"counts as destructive now", "no longer counts as destructive", true},
	{"idempotentHint", func(h surface.Hints) bool { return h.Idempotent }, "hint-idempotent-gained", "hint-idempotent-lost",
		"is declared idempotent now", "is no longer declared idempotent", true},
	{"openWorldHint", func(h surface.Hints) bool { return h.OpenWorld }, "hint-openworld-gained", "hint-openworld-lost",
		"counts as reaching beyond the server now", "no longer counts as reaching beyond the server", false},
}

// hints judges the annotations of a tool but its title: first what moved after the protocol's defaults, then what is left. other takes
// changes that no rule knows.
func (j *judge) hints(p Pair, other func(Change)) {
	if p.Hints == nil {
		return
	}
	judged := map[string]bool{}
	if p.Hints.Conflict {
		judged["/annotations/destructiveHint"] = true
		f := about(p.New, nameOf(p.New)+" is declared read-only and destructive at once")
		f.pointer = "/annotations"
		j.add("hint-contradiction", f)
	}
	if word := p.Hints.Harmful; word != "" && !p.Hints.Conflict {
		judged["/annotations/readOnlyHint"] = true
		f := about(p.New, nameOf(p.New)+" is declared read-only now, and its name says "+quoted(word))
		f.pointer, f.before, f.after = "/annotations/readOnlyHint", canon.Raw("false"), canon.Raw("true")
		j.add("hint-contradiction", f)
	}
	j.turns(p, judged)
	var quiet []Change
	for _, c := range p.Changes {
		switch {
		case head(c.Pointer) != "annotations" || c.Pointer == "/annotations/title" || judged[c.Pointer]:
		case isQuiet(c):
			quiet = append(quiet, c)
		default:
			other(c)
		}
	}
	if len(quiet) > 0 {
		j.add("hint-made-explicit", p.together(quietly(nameOf(p.New), quiet), quiet))
	}
}

// turns judges what moved after the protocol's defaults, but for what is judged already.
func (j *judge) turns(p Pair, judged map[string]bool) {
	for _, h := range hintTable {
		at := canon.Pointer("annotations", h.member)
		was, is := h.get(p.Hints.Old), h.get(p.Hints.New)
		if was == is || judged[at] {
			continue
		}
		judged[at], judged["/annotations"] = true, true
		f := about(p.New, nameOf(p.New)+" "+h.isNow)
		f.pointer, f.before, f.after = at, canon.Raw(strconv.FormatBool(was)), canon.Raw(strconv.FormatBool(is))
		id := h.gained
		if was {
			id, f.message = h.lost, nameOf(p.New)+" "+h.isNoMore
		}
		if h.guarded && p.Hints.New.ReadOnly {
			if !p.Hints.Old.ReadOnly {
				continue // told by the tool having become read-only
			}
			id, f.message = "hint-irrelevant", h.member+" of "+nameOf(p.New)+" changed, which means nothing while it is read-only"
		}
		j.add(id, f)
	}
}

// isQuiet reports a hint that came or went with the value it has by default. It is asked of changes after which every hint is what it was.
func isQuiet(c Change) bool {
	if c.Pointer == "/annotations" {
		return empty(c.Before) && empty(c.After)
	}
	for _, h := range hintTable {
		if c.Pointer == canon.Pointer("annotations", h.member) {
			return isFlag(c.Before) && isFlag(c.After)
		}
	}
	return false
}

// quietly says of hints whether they are stated now or no longer.
func quietly(tool string, quiet []Change) string {
	c := quiet[0]
	if c.Pointer == "/annotations" {
		if absent(c.After) {
			return tool + " no longer has annotations, which were empty"
		}
		return tool + " has annotations now, which are empty"
	}
	var now, no []string
	for _, c := range quiet {
		if absent(c.After) {
			no = append(no, memberOf(c))
		} else {
			now = append(now, memberOf(c))
		}
	}
	var parts []string
	for _, turn := range []struct {
		names []string
		what  string
	}{{now, "stated now"}, {no, "no longer stated"}} {
		if len(turn.names) > 0 {
			verb := map[bool]string{true: " is ", false: " are "}[len(turn.names) == 1]
			parts = append(parts, strings.Join(turn.names, ", ")+" of "+tool+verb+turn.what)
		}
	}
	if len(quiet) == 1 {
		return parts[0] + ", and its default is the same: " + cmp.Or(string(c.After), string(c.Before))
	}
	return strings.Join(parts, ", ") + ", and their defaults are the same"
}

func memberOf(c Change) string { return strings.TrimPrefix(c.Pointer, "/annotations/") }

func empty(raw canon.Raw) bool { return absent(raw) || string(raw) == "{}" }
