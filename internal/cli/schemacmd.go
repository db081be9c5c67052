package cli

import (
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/docs"
)

// schemas are the formats whose JSON Schema anvil prints.
var schemas = map[string][]byte{"air": docs.AIRSchema, "report": docs.ReportSchema, "tools-metadata": docs.MetadataSchema}

func (sh *shell) schemaCommand() *cli.Command {
	names := make([]string, 0, len(schemas))
	for name := range schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	known := strings.Join(names, ", ")
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of a format", ArgsUsage: "NAME",
		Description: "NAME is one of " + known + ". air is air.yaml in a pack, which is the same document in YAML. A report is what inspect, snapshot, adopt, diff, check and pack verify print with --format json.",
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
