package cli

import (
	"errors"
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

func (sh *shell) snapshotCommand() *cli.Command {
	return &cli.Command{
		Name: "snapshot", Usage: "capture a server's surface and commit it to the snapshot folder",
		ArgsUsage: "TARGET", Description: targetUsage,
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
	fmt.Fprintf(sh.out, "%s: %s\n  %d tools, %d resources, %d templates, %d prompts\n  %s\n", store.Path(name), change,
		len(s.Tools()), len(s.Items[surface.Resource]), len(s.Items[surface.ResourceTemplate]), len(s.Items[surface.Prompt]), s.Digest)
	return nil
}

// passGate refuses a surface with errors; the report says what to fix.
func (sh *shell) passGate(c *cli.Context, seen observed) error {
	maxTools, err := sh.maxTools(c)
	if err != nil {
		return err
	}
	verdict := gate.Check(seen.snapshot, gate.Options{MaxTools: maxTools}, seen.findings...)
	if !verdict.Refused() {
		return nil
	}
	report := diag.NewReport("inspect", verdict.Findings)
	if err := report.WriteText(sh.out); err != nil {
		return err
	}
	return &exitError{exitFindings, fmt.Errorf("the gate refuses this surface: %s; nothing was written", report.Summary.Line())}
}

// withHistory adds the tombstones that follow from the stored snapshot, and says what storing will do.
func withHistory(store surface.Store, name string, now *surface.McpSurfaceSnapshot) (*surface.McpSurfaceSnapshot, string, error) {
	old, err := store.Load(name)
	switch {
	case errors.Is(err, surface.ErrNotFound):
		return now, "new", nil
	case err != nil:
		return nil, "", fmt.Errorf("%w; review the file, remove it, and take the snapshot again", err)
	case old.Digest == now.Digest:
		return now.WithHistory(old), "unchanged", nil
	}
	return now.WithHistory(old), "changed", nil
}
