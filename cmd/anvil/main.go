// Command anvil adopts MCP servers that a team does not control. It calls cli.Main and exits.
package main

import (
	"os"

	"anvil/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
