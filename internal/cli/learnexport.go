package cli

import (
	"cmp"
	"fmt"
	"io"

	cli "github.com/urfave/cli/v2"

	"anvil/internal/atomicfile"
	"anvil/learn"
	"anvil/learn/exchange"
)

func (sh *shell) learnExportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the calls that were observed, for others or for another store",
		Description: "Writes anvil's own lines (`anvil schema learn-events`), or spans of OpenTelemetry as OTLP JSON. `anvil learn import` takes both back.",
		Flags: learnFlags(
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` (default: stdout)"},
			&cli.StringFlag{Name: "since", Usage: "the calls that ended since `TIME` alone: a date, a moment, or how long ago, such as 7d or 12h"},
			formatFlag(fromJSONL, fromOTLP),
		),
		Action: sh.learnExport,
	}
}

func (sh *shell) learnExport(c *cli.Context) (err error) {
	format, err := parseFormat(c, fromJSONL, fromOTLP)
	if err = cmp.Or(err, sh.noArguments(c, 0)); err != nil {
		return err
	}
	since, err := sh.since(c)
	if err != nil {
		return err
	}
	db, err := sh.learnDB(c)
	if err = cmp.Or(err, notTheStore(c.String("out"), db)); err != nil {
		return err
	}
	s, err := sh.openStore(db, false)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	n := 0
	write := func(w io.Writer) (err error) {
		events := s.Events(sh.ctx, learn.Query{Since: since})
		if format == fromOTLP {
			n, err = exchange.WriteOTLP(w, events)
		} else {
			n, err = exchange.WriteJSONL(w, events)
		}
		return err
	}
	if out := c.String("out"); out != "" && out != "-" {
		err = atomicfile.WriteStream(out, 0o644, write)
	} else {
		err = write(sh.out)
	}
	if err == nil {
		fmt.Fprintf(sh.err, "%s exported\n", counted(n, "call"))
	}
	return err
}
