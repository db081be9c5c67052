package diag

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
	"unicode/utf8"
)

// MarkdownRoom is how many characters a page of Markdown has: GitHub takes 65,536 in a comment, and whoever posts the page adds some of its own.
const MarkdownRoom = 60_000

// PageOptions say how a report becomes a page of Markdown.
type PageOptions struct {
	Rules Catalog // for the titles of the rules
	All   string  // where every finding is: "`--format json`"
	Used  int     // characters of the page that stand before and behind what is written
	Full  bool    // every finding in detail, whatever room that takes
}

// Bounds of a page. What a topic leaves out is counted behind it, and the topics that find no room are counted at the end.
const (
	entriesOfTopic = 20   // findings in detail of one topic
	roomForRest    = 2500 // characters kept for the topics left out
	linesAside     = 30   // for topics that matter least
)

// Page returns the findings as Markdown for a reviewer: how often each rule fired, then what belongs together in a block that unfolds, the worst first. It
// keeps to [MarkdownRoom], unless it is to be full, and says what it left out. Whatever a server said stands in code spans and fences that it cannot leave,
// with invisible characters spelled out.
func (r Report) Page(o PageOptions) []byte {
	var b bytes.Buffer
	topics := topicsOf(r.Findings)
	writeCounts(&b, topics, o.Rules)
	long := !o.Full && len(r.Findings) > foldAbove
	told, aside := topics, []byte(nil)
	if long {
		told, aside = apart(topics)
	}
	room := MarkdownRoom - roomForRest - o.Used - utf8.RuneCount(b.Bytes()) - utf8.RuneCount(aside)
	if o.Full {
		room = math.MaxInt
	}
	var left []topic
	for _, t := range told {
		block := t.blockIn(room, o, long)
		if block == nil {
			left = append(left, t)
		}
		room -= utf8.RuneCount(block)
		b.Write(block)
	}
	b.Write(aside)
	writeLeft(&b, left, o.All)
	return b.Bytes()
}

// writeCounts writes how often each rule fired, the worst class first.
func writeCounts(b *bytes.Buffer, topics []topic, rules Catalog) {
	if len(topics) == 0 {
		return
	}
	b.WriteString("\n| class | rule | findings | meaning |\n|---|---|---|---|\n")
	for _, row := range tallied(topics...) {
		class := string(row.class)
		switch row.security {
		case 0:
		case row.n:
			class += ", security"
		default:
			class += fmt.Sprintf(", %d security", row.security)
		}
		fmt.Fprintf(b, "| %s | %s | %d | %s |\n", class, row.rule, row.n, titleOf(rules, row.rule))
	}
}

// apart takes out the topics that neither break nor mislead a caller, and lists them in one block.
func apart(topics []topic) (told []topic, block []byte) {
	var aside []topic
	for _, t := range topics {
		if minor(t.entries[0][0]) {
			aside = append(aside, t)
		} else {
			told = append(told, t)
		}
	}
	if len(aside) == 0 {
		return told, nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n<details><summary>in short: %s</summary>\n\n", classCounts(aside...))
	lines, left := inShort(aside, linesAside, codeOfName)
	for _, line := range lines {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "- and %s in %d more places\n", classCounts(left...), len(left))
	}
	b.WriteString("\n</details>\n")
	return told, b.Bytes()
}

func codeOfName(s string) string { return MarkdownCode(shortName(s)) }

// writeLeft says what the page has no room for.
func writeLeft(b *bytes.Buffer, left []topic, all string) {
	if len(left) == 0 {
		return
	}
	var names []string
	for _, t := range left {
		names = append(names, t.names()...)
	}
	fmt.Fprintf(b, "\n**Left out of this page, which has no more room:** %s, about %s. All of it is in %s.\n", classCounts(left...),
		named(names, placesWorse, codeOfName), all)
}

// blockIn is the block of a topic with as many findings in detail as there is room for, the worst first; nil where there is room for none.
func (t topic) blockIn(room int, o PageOptions, long bool) []byte {
	most := entriesOfTopic
	if o.Full {
		most = len(t.entries)
	}
	for ; most > 0; most /= 2 {
		if block := t.block(o, long, most); utf8.RuneCount(block) <= room {
			return block
		}
	}
	return nil
}

// block is a topic as a block that unfolds, with so many findings in detail: that of a short report is unfolded where something may break.
func (t topic) block(o PageOptions, long bool, most int) []byte {
	var b bytes.Buffer
	worst := t.entries[0][0]
	attribute := ""
	if !long && worst.Class.Rank() >= Breaking.Rank() && worst.Accepted == nil {
		attribute = " open"
	}
	what := htmlCode(t.name()) + ": " + classCounts(t)
	if len(t.places) > 0 {
		what = fmt.Sprintf("%s in %d places: %s", worst.Rule, len(t.places), classCounts(t))
	}
	fmt.Fprintf(&b, "\n<details%s><summary>%s</summary>\n", attribute, what)
	for i, e := range t.entries {
		if i == most || long && i > 0 && minor(e[0]) {
			fmt.Fprintf(&b, "\nAnd %s.\n", rulesOf(topic{entries: t.entries[i:]}))
			break
		}
		t.entry(&b, e, o)
	}
	b.WriteString("\n</details>\n")
	return b.Bytes()
}

// htmlCode is a text of a server's in an HTML block, where no Markdown is read.
func htmlCode(s string) string {
	return "<code>" + html.EscapeString(Shorten(Printable(s), spanWidth)) + "</code>"
}

// entry writes one finding.
func (t topic) entry(b *bytes.Buffer, group []Finding, o PageOptions) {
	f := group[0]
	security := ""
	if f.Security {
		security = ", security"
	}
	fmt.Fprintf(b, "\n#### %s%s: %s\n\n", f.Class, security, f.Rule)
	if len(t.places) > 0 {
		fmt.Fprintf(b, "%s: %s.\n\n", titleOf(o.Rules, f.Rule), named(t.places, placesWorse, codeOfName))
	} else {
		fmt.Fprintf(b, "%s\n\n", MarkdownCode(f.Message))
	}
	for _, line := range []string{axesOf(group), f.acceptance()} {
		if line != "" {
			fmt.Fprintf(b, "%s\n\n", MarkdownText(line))
		}
	}
	if f.Pointer != "" {
		fmt.Fprintf(b, "At %s. ", MarkdownCode(f.Pointer))
	}
	fmt.Fprintf(b, "%s\n", MarkdownText(f.Hint))
	if line := AffectsLine(f.Affects); line != "" {
		fmt.Fprintf(b, "\nAffects: %s\n", MarkdownCode(line))
	}
	if body := diffLines(f.Before, f.After, o.All); body != "" {
		writeFence(b, "diff", body)
	}
	f.writeWitness(b)
}

// writeWitness shows what breaks: a call to copy, or a result.
func (f Finding) writeWitness(b *bytes.Buffer) {
	call, ok := f.Call()
	switch {
	case f.Witness == nil:
	case len(f.Witness) > maxWitness:
		fmt.Fprintf(b, "\nA witness of %d bytes is in the JSON report.\n", len(f.Witness))
	case !ok:
		says := f.instance()
		fmt.Fprintf(b, "\n%s: %s\n", strings.ToUpper(says[:1])+says[1:], MarkdownCode(string(f.Witness)))
	default:
		fmt.Fprintf(b, "\n%s:\n", strings.Replace(f.proven(), "the", "The", 1))
		writeFence(b, "sh", call+"\n")
	}
}

// writeFence writes whole lines as a block of code that nothing in them ends.
func writeFence(b *bytes.Buffer, language, lines string) {
	fence := MarkdownFence(lines)
	fmt.Fprintf(b, "\n%s%s\n%s%s\n", fence, language, lines, fence)
}
