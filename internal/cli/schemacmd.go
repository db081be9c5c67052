package cli

import (
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/docs"
)

// schemas are the formats whose JSON Schema anvil prints.
var schemas = map[string][]byte{
	"air": docs.AIRSchema, "capability": docs.CapabilitySchema, "certification": docs.CertificationSchema, "commands": docs.CommandsSchema, "learn-events": docs.LearnEventsSchema, "learned": docs.LearnedSchema, "pack": docs.PackSchema, "report": docs.ReportSchema,
	"tools-metadata": docs.MetadataSchema, "trust": docs.TrustSchema,
}

func (sh *shell) schemaCommand() *cli.Command {
	names := make([]string, 0, len(schemas))
	for name := range schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	known := strings.Join(names, ", ")
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of a format", ArgsUsage: "NAME",
		Description: "NAME is one of " + known + ". air is air.yaml in a pack, which is the same document in YAML; pack is its manifest, capability a file of capabilities/, commands the catalogue of its command line (cli/commands.json). A report is what inspect, snapshot, adopt, diff, check, review, certify, pack verify, pack diff and the commands of learn print with --format json. learn-events is a line of what learn export writes and learn import takes; learned is what was learned of tools, as a pack keeps it.",
		Action: func(c *cli.Context) error {
			if err := sh.noArguments(c, 1); err != nil {
				return err
			}
			schema, ok := schemas[c.Args().First()]
			if !ok {
				return usagef("no schema %q; anvil has that of: %s", c.Args().First(), known)
			}
			return sh.writePage(schema)
		},
	}
}
