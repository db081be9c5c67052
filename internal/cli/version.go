package cli

import (
	"fmt"
	"runtime/debug"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/wire"
)

// version is told to servers and printed; it moves with releases alone, never with a build.
const version = "0.1.0"

func (sh *shell) versionCommand() *cli.Command {
	return &cli.Command{Name: "version", Usage: "print the version and the formats this anvil reads", Action: func(c *cli.Context) error {
		if err := sh.noArguments(c, 0); err != nil {
			return err
		}
		revision := "unknown"
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, s := range info.Settings {
				if s.Key == "vcs.revision" {
					revision = s.Value
				}
			}
		}
		_, err := fmt.Fprintf(sh.out, "anvil %s (revision %s)\nsnapshot format %d, pack format %d, canonical form %s, MCP up to %s\n",
			version, revision, surface.SchemaVersion, pack.SchemaVersion, canon.ID, wire.LatestStateless)
		return err
	}}
}
