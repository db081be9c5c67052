package cli

import (
	"errors"
	"fmt"

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
		Flags: targetFlags(
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the snapshot (default: the server's name in the configuration)"}, dirFlag(),
		),
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
	seen, err := sh.observe(c, target)
	if err != nil {
		return err
	}
	if err := sh.passGate(c, seen); err != nil {
		return err
	}
	store := storeOf(c)
	s, change, err := withHistory(store, name, seen.snapshot)
	if err != nil {
		return err
	}
	if err := store.Save(name, s); err != nil {
		return err
	}
	counts := map[string]int{}
	for _, kind := range surface.Kinds {
		counts[kind.List()] = len(s.Items[kind])
	}
	fmt.Fprintf(sh.out, "%s: %s\n  %s\n  %s\n", store.Path(name), change, listCounts(counts), s.Digest)
	return nil
}

// passGate refuses a surface with errors; the report says what to fix.
func (sh *shell) passGate(c *cli.Context, seen observed) error {
	verdict, err := sh.verdict(c, seen)
	if err != nil || !verdict.Refused() {
		return err
	}
	report := diag.NewReport("inspect", verdict.Findings)
	if err := sh.printReport(report, "text", ""); err != nil {
		return err
	}
	return &exitError{exitFindings, fmt.Errorf("the gate refuses this surface: %s; nothing was written", report.Summary.Line())}
}

// spoiled says what to do about a stored snapshot that cannot be trusted.
func spoiled(err error) error {
	return fmt.Errorf("%w; restore the file from version control, or review it, remove it and take the snapshot again", err)
}

// withHistory adds the tombstones that follow from the stored snapshot, and says what storing will do.
func withHistory(store surface.Store, name string, now *surface.McpSurfaceSnapshot) (*surface.McpSurfaceSnapshot, string, error) {
	old, err := store.Load(name)
	switch {
	case errors.Is(err, surface.ErrNotFound):
		return now, "new", nil
	case err != nil:
		return nil, "", spoiled(err)
	case old.Digest == now.Digest:
		return now.WithHistory(old), "unchanged", nil
	}
	return now.WithHistory(old), "changed", nil
}
