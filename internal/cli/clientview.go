package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/adopt/probe"
	"anvil/compiler/canon"
	"anvil/compiler/clientview"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// askedAs reads --as: what to announce, and the client whose view is wanted, nil where a bare or full one is meant.
func askedAs(c *cli.Context) (probe.Announcement, *profiles.Profile, error) {
	word := c.String("as")
	if announce, err := probe.ParseAnnouncement(word); err == nil {
		return announce, nil, nil
	}
	client, err := profiles.All().Client(word)
	if err != nil {
		return probe.Announcement{}, nil, usagef("--as: %w; or full or bare", err)
	}
	announce, err := probe.ParseAnnouncement(client.Announces)
	return announce, client, err
}

// isClient reports the id of a client.
func isClient(id string) bool {
	_, err := profiles.All().Client(id)
	return err == nil
}

// printClientView prints exactly what the client hands its model of the surface.
func (sh *shell) printClientView(c *cli.Context, client *profiles.Profile, seen observed, format string) error {
	if !slices.Contains([]string{"text", "json", "yaml", "markdown"}, format) {
		return usagef("--format %s is for findings; with --as %s use text, json, yaml or markdown", format, client.ID)
	}
	view, err := clientViewOf(client, seen, pluginOf(c, seen))
	if err != nil {
		return err
	}
	var data []byte
	switch format {
	case "json", "yaml":
		if data, err = reportBytes(view, format); err != nil {
			return err
		}
	default:
		data = clientViewText(client, view, format == "markdown")
	}
	return sh.writeResult(c.String("out"), sh.secret.hide(data))
}

// clientViewOf has the gate judge the surface under the names that the client has for it, all of it, and the view made of what it found. What a
// person accepts is left out of account: the client does not know of it.
func clientViewOf(client *profiles.Profile, seen observed, plugin string) (clientview.View, error) {
	names := gate.NamesOf(seen.snapshot, seen.name, plugin)
	names.Server = cmp.Or(names.Server, "server")
	o := clientview.Options{Names: names}
	o.Findings = gate.Check(seen.snapshot, gate.Options{
		Server: names.Server, Plugin: plugin, Clients: []string{client.ID}, Pages: seen.evidence.Pages, Costs: seen.costs, Whole: true,
	}).Findings
	for _, raw := range seen.listed {
		it, err := surface.NewItem(surface.Tool, raw)
		if err != nil {
			return clientview.View{}, err
		}
		o.Listed = append(o.Listed, it.Name)
	}
	if items := seen.evidence.Items[surface.Tool.Method()]; len(items) > 0 {
		o.Page = items[0]
	}
	return clientview.Of(client, o, seen.snapshot)
}

// clientViewText shows a view with everything in it that could hide from a reader as a visible escape.
func clientViewText(client *profiles.Profile, v clientview.View, markdown bool) []byte {
	var b bytes.Buffer
	heading, margin := "", "  "
	if markdown {
		heading, margin = "## ", "    "
	}
	fmt.Fprintf(&b, "%swhat the model of %s is handed of %s\n\n%sdigest %s\n", heading, client.Title, diag.Printable(v.Server), margin, v.Digest)
	writeRefused(&b, client, v.Refused, heading, margin)
	if v.Instructions != nil {
		fmt.Fprintf(&b, "\n%sinstructions%s\n\n%s\n", heading, cutWords(v.InstructionsCut), margined(v.Instructions, margin))
	}
	for _, t := range v.Tools {
		fmt.Fprintf(&b, "\n%s%s%s%s%s\n", heading, diag.Printable(t.Name), nameCutWords(t), cutWords(t.DescriptionCut), droppedWords(t.Dropped))
		if t.Description != nil {
			fmt.Fprintf(&b, "\n%s\n", margined(t.Description, margin))
		}
		if t.InputSchema != nil {
			fmt.Fprintf(&b, "\n%s%s\n", margin, diag.Printable(string(t.InputSchema)))
		}
	}
	if len(v.Tools) == 0 {
		fmt.Fprintf(&b, "\n%sno tools\n", heading)
	}
	writeHidden(&b, v, heading, margin)
	return b.Bytes()
}

// writeRefused says in front of all that nothing of what follows arrives, and why.
func writeRefused(b *bytes.Buffer, client *profiles.Profile, refused []clientview.Reason, heading, margin string) {
	if len(refused) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%severy request of %s is refused, and its model is handed nothing at all, because of %s:\n\n", heading, client.Title, refusedTools(refused))
	for _, r := range refused {
		fmt.Fprintf(b, "%s%s (%s)\n", margin, diag.Printable(r.Text), r.Rule)
	}
	fmt.Fprintf(b, "\n%swhat it sends all the same:\n", heading)
}

func refusedTools(refused []clientview.Reason) string {
	var names []string
	for _, r := range refused {
		if r.Tool != "" && !slices.Contains(names, r.Tool) {
			names = append(names, r.Tool)
		}
	}
	switch {
	case len(names) == 0:
		return "the server as a whole"
	case len(names) == 1:
		return "tool " + brief(names[0])
	}
	more := ""
	if left := len(names) - namedTools; left > 0 {
		names, more = names[:namedTools], fmt.Sprintf(" and %d more", left)
	}
	for i := range names {
		names[i] = brief(names[i])
	}
	return "tools " + strings.Join(names, ", ") + more
}

// writeHidden lists the tools that the model is not handed, those with one reason together.
func writeHidden(b *bytes.Buffer, v clientview.View, heading, margin string) {
	if len(v.Hidden) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%snot handed to it: %s of %d\n\n", heading, counted(len(v.Hidden), "tool"), len(v.Hidden)+len(v.Tools))
	var reasons []string
	tools := map[string][]string{}
	for _, r := range v.Hidden {
		why := fmt.Sprintf("%s (%s)", r.Text, r.Rule)
		if tools[why] == nil {
			reasons = append(reasons, why)
		}
		tools[why] = append(tools[why], diag.Printable(r.Tool))
	}
	for _, why := range reasons {
		fmt.Fprintf(b, "%s%s: %s\n", margin, strings.Join(tools[why], ", "), diag.Printable(why))
	}
	if v.ByName {
		fmt.Fprintf(b, "\n%swhich tools the server lists first is in no snapshot; they are told by name here\n", margin)
	}
}

func nameCutWords(t clientview.Tool) string {
	if t.NameCut == nil {
		return ""
	}
	return fmt.Sprintf(" (its name cut: %d of %d bytes, of tool %s)", t.NameCut.Kept, t.NameCut.Of, brief(t.Tool))
}

// margined is a text of a server's, line by line behind a margin; what is no text stays as it is spelled.
func margined(raw canon.Raw, margin string) string {
	text := string(raw)
	if n, err := canon.Parse(raw); err == nil {
		if s, ok := n.Str(); ok {
			text = s
		}
	}
	lines := strings.Split(printableLines(text), "\n")
	return margin + strings.Join(lines, "\n"+margin)
}

func cutWords(cut *clientview.Cut) string {
	if cut == nil {
		return ""
	}
	return fmt.Sprintf(" (cut: %d of %d bytes)", cut.Kept, cut.Of)
}

func droppedWords(dropped map[string]int) string {
	if len(dropped) == 0 {
		return ""
	}
	var words []string
	for keyword, n := range dropped {
		words = append(words, fmt.Sprintf("%s %d times", keyword, n))
	}
	slices.Sort(words)
	return " (left out: " + diag.Printable(strings.Join(words, ", ")) + ")"
}
