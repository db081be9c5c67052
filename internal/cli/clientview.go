package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/canon"
	"anvil/compiler/clientview"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// askedAs reads --as: the client profile to announce, and the client whose view is wanted, nil for the built-in profiles.
func askedAs(c *cli.Context) (probe.Profile, *profiles.Profile, error) {
	word := c.String("as")
	if profile, err := probe.ParseProfile(word); err == nil {
		return profile, nil, nil
	}
	client, err := profiles.All().Client(word)
	if err != nil {
		return probe.Profile{}, nil, usagef("--as: %w; or full or bare", err)
	}
	profile, err := probe.ParseProfile(client.Announces)
	return profile, client, err
}

// printClientView prints exactly what the client hands its model of the surface.
func (sh *shell) printClientView(c *cli.Context, client *profiles.Profile, seen observed, format string) error {
	if !slices.Contains([]string{"text", "json", "yaml", "markdown"}, format) {
		return usagef("--format %s is for findings; with --as %s use text, json, yaml or markdown", format, client.ID)
	}
	view, err := clientview.Of(client, cmp.Or(seen.name, seen.snapshot.ServerName()), c.String("plugin"), seen.snapshot)
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

// clientViewText shows a view with everything in it that could hide from a reader as a visible escape.
func clientViewText(client *profiles.Profile, v clientview.View, markdown bool) []byte {
	var b bytes.Buffer
	heading, margin := "", "  "
	if markdown {
		heading, margin = "## ", "    "
	}
	fmt.Fprintf(&b, "%swhat the model of %s is handed of %s\n\n%sdigest %s\n", heading, client.Title, diag.Printable(v.Server), margin, v.Digest)
	if v.Instructions != nil {
		fmt.Fprintf(&b, "\n%sinstructions%s\n\n%s\n", heading, cutWords(v.InstructionsCut), margined(v.Instructions, margin))
	}
	for _, t := range v.Tools {
		fmt.Fprintf(&b, "\n%s%s%s%s\n", heading, diag.Printable(t.Name), cutWords(t.DescriptionCut), droppedWords(t.Dropped))
		if t.Description != nil {
			fmt.Fprintf(&b, "\n%s\n", margined(t.Description, margin))
		}
		if t.InputSchema != nil {
			fmt.Fprintf(&b, "\n%s%s\n", margin, diag.Printable(string(t.InputSchema)))
		}
	}
	if len(v.Hidden) > 0 {
		fmt.Fprintf(&b, "\n%snot shown to it: %s\n", heading, diag.Printable(strings.Join(v.Hidden, ", ")))
	}
	return b.Bytes()
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
