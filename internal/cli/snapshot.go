package cli

import (
	"errors"
	"fmt"
	"slices"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

func (sh *shell) snapshotCommand() *cli.Command {
	return &cli.Command{
		Name: "snapshot", Usage: "capture a server's surface and commit it to the snapshot folder",
		ArgsUsage: "TARGET",
		Description: `Writes DIR/NAME.snapshot.json, to be committed; ` + "`anvil mcp check`" + ` compares the server with it. Nothing is written when the
gate refuses the surface.

` + targetUsage,
		Flags: targetFlags(append(gateFlags(),
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the snapshot (default: the server's name in the configuration)"}, dirFlag(),
		)...),
		Action: sh.snapshot,
	}
}

func (sh *shell) snapshot(c *cli.Context) error {
	target, err := sh.target(c, c.Args().Slice(), sh.rest)
	if err != nil {
		return err
	}
	name := c.String("name")
	if name == "" && target.Kind == config.KindName {
		name = target.Server.Name
	}
	if name == "" {
		return usagef("give the snapshot a name: --name NAME")
	}
	if err := surface.CheckName(name); err != nil {
		return usage(err)
	}
	if _, err := sh.gateOptions(c); err != nil {
		return err
	}
	store := storeOf(c)
	base, err := baseline(store, name)
	if err != nil {
		return err
	}
	seen, err := sh.observe(c, target)
	if err != nil {
		return err
	}
	if err := sh.passGate(c, seen); err != nil {
		return err
	}
	s, err := sh.replace(store, name, base, seen.snapshot)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, kind := range surface.Kinds {
		counts[kind.List()] = len(s.Items[kind])
	}
	fmt.Fprintf(sh.out, "%s: %s\n  %s\n  %s\n", store.Path(name), changeOf(base, s), listCounts(counts), s.Digest)
	if target.Kind != config.KindName {
		fmt.Fprintf(sh.out, "\nnext: name the server %s in anvil.yaml, so that `anvil mcp check` compares it with this file\n", name)
	}
	return nil
}

// passGate refuses a surface with errors; the report says what to fix.
func (sh *shell) passGate(c *cli.Context, seen observed) error {
	verdict, err := sh.verdict(c, seen)
	if err != nil || !verdict.Refused() {
		return err
	}
	shown := diag.NewReport("inspect", errorsOf(verdict.Findings))
	if err := sh.printReport(shown, "text", ""); err != nil {
		return err
	}
	refusal := fmt.Sprintf("the gate refuses this surface: %s; nothing was written", shown.Summary.Line())
	if how := howToAccept(shown); how != "" {
		refusal += "; fix what is listed above in the server; " + how
	}
	return &exitError{exitFindings, errors.New(refusal)}
}

// errorsOf are the findings for which the gate refuses.
func errorsOf(findings []diag.Finding) []diag.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool { return f.Class != diag.Error })
}

// baseline loads the stored snapshot, nil when there is none. It is read before the server is asked, so that nothing that somebody accepts
// meanwhile is replaced by what was seen before.
func baseline(store surface.Store, name string) (*surface.McpSurfaceSnapshot, error) {
	base, err := store.Load(name)
	if errors.Is(err, surface.ErrNotFound) {
		return nil, nil
	}
	return base, spoiled(err)
}

// replace stores now in the place of base, as [surface.Store.Replace] does.
func (sh *shell) replace(store surface.Store, name string, base, now *surface.McpSurfaceSnapshot) (*surface.McpSurfaceSnapshot, error) {
	stored, err := store.Replace(sh.ctx, name, base, now)
	return stored, spoiled(err)
}

// spoiled says what to do when the stored snapshot cannot be trusted; other errors stay as they are.
func spoiled(err error) error {
	if !errors.Is(err, surface.ErrFormat) && !errors.Is(err, surface.ErrDigest) {
		return err
	}
	return &exitError{exitFindings, fmt.Errorf("%w; restore the file from version control, or review it, remove it and take the snapshot again", err)}
}

// changeOf says what storing now in the place of base did.
func changeOf(base, now *surface.McpSurfaceSnapshot) string {
	switch {
	case base == nil:
		return "new"
	case base.Digest == now.Digest:
		return "unchanged"
	}
	return "changed"
}
