package cli

import (
	"bytes"
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/pack"
)

func (sh *shell) packExplainCommand() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "say what a rebuild regenerates between two packs, and why", ArgsUsage: "OLD NEW",
		Description: `For every node of the build graph: new, inputs-changed, implementation-changed, configuration-changed, cached (the files of the
earlier pack are taken), or gone.

` + packUsage,
		Flags: []cli.Flag{formatFlag("text", "json", "yaml")}, Action: sh.packExplain,
	}
}

// explanation is what explain prints.
type explanation struct {
	SchemaVersion int               `json:"schemaVersion"`
	Report        string            `json:"report"`
	Old           string            `json:"old"` // digest of the pack
	New           string            `json:"new"`
	Nodes         []pack.NodeChange `json:"nodes"`
}

func (sh *shell) packExplain(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err != nil {
		return err
	}
	sides, err := sh.twoPacks(c)
	if err != nil {
		return err
	}
	e := explanation{diag.SchemaVersion, "pack-explain", sides[0].Manifest.Digest, sides[1].Manifest.Digest, pack.Explain(sides[0].Manifest, sides[1].Manifest)}
	if format != "text" {
		data, err := reportBytes(e, format)
		if err != nil {
			return err
		}
		return sh.writeResult("", data)
	}
	return sh.writeResult("", e.text())
}

// twoPacks opens OLD and NEW.
func (sh *shell) twoPacks(c *cli.Context) (sides [2]*pack.Pack, err error) {
	old, now, err := sh.twoWords(c, "which two packs")
	if err != nil {
		return sides, err
	}
	for i, path := range []string{old, now} {
		if sides[i], err = openPack(path); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

func (e explanation) text() []byte {
	var b bytes.Buffer
	run := 0
	w := diag.NewTable(&b)
	for _, s := range e.Nodes {
		if s.Status != pack.NodeCached && s.Status != pack.NodeGone {
			run++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", diag.Printable(s.Node), s.Status, diag.Printable(why(s)))
	}
	_ = w.Flush()
	fmt.Fprintf(&b, "\n%d of %s regenerated\n", run, counted(len(e.Nodes), "node"))
	return b.Bytes()
}

// why says what of a step is another, and what comes of it.
func why(s pack.NodeChange) string {
	var parts []string
	if len(s.Inputs) > 0 {
		parts = append(parts, "of "+strings.Join(s.Inputs, ", "))
	}
	if s.Implementation != nil {
		parts = append(parts, fmt.Sprintf("version %d -> %d", s.Implementation.Before, s.Implementation.After))
	}
	switch {
	case s.Status == pack.NodeCached && len(s.Changed) == 0:
	case len(s.Changed) == 0:
		parts = append(parts, "the files come out the same")
	default:
		parts = append(parts, "changes "+strings.Join(s.Changed, ", "))
	}
	return strings.Join(parts, "; ")
}
