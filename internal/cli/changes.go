package cli

import (
	"runtime"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
)

// allInJSON says where a page of Markdown that had no room for all findings has them.
const allInJSON = "the report of `--format json`"

func fullFlag() cli.Flag {
	return &cli.BoolFlag{Name: "full", Usage: "tell every finding in detail, however many there are, with both sides whole"}
}

// changesFor says how a command that reports differences writes them for a person.
func (sh *shell) changesFor(c *cli.Context) *diag.GroupedOptions {
	return &diag.GroupedOptions{Full: c.Bool("full"), Colour: sh.coloured(), Rules: allRules(), All: "--full, or --format json"}
}

// coloured reports that results go to a terminal that shows colours, and that the user wants them (no-color.org).
func (sh *shell) coloured() bool {
	unwanted, _ := sh.getenv("NO_COLOR")
	kind, _ := sh.getenv("TERM")
	_, windowsTerminal := sh.getenv("WT_SESSION")
	return isTerminal(sh.out.w) && unwanted == "" && kind != "dumb" && (runtime.GOOS != "windows" || windowsTerminal)
}
