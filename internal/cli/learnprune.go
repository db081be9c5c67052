package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/sqlstore"
)

func (sh *shell) learnPruneCommand() *cli.Command {
	return &cli.Command{
		Name: "prune", Usage: "forget what is old: single calls, and the figures of single hours",
		Description: "Figures over all calls stay, and so does what people state. Graphs and workflows are made of single calls. `serve --learn` does it each hour, as by the defaults here.",
		Flags: learnFlags(
			&cli.StringFlag{Name: "events", Value: inDays(learn.DefaultRetention.Events), Usage: "keep single calls for `TIME`, such as 30d or 12h; 0 is for ever"},
			&cli.StringFlag{Name: "hours", Value: inDays(learn.DefaultRetention.Hours), Usage: "keep the figures of single hours, and the history of insights, for `TIME`; 0 is for ever"},
			&cli.IntFlag{Name: "most", Value: learn.DefaultRetention.Most, Usage: "keep `N` single calls at most; 0 is any number"},
			formatFlag("text", "json", "yaml"),
		),
		Action: sh.learnPrune,
	}
}

// learnPruned is what prune prints.
type learnPruned struct {
	SchemaVersion int    `json:"schemaVersion"`
	Report        string `json:"report"`
	Events        int64  `json:"events"` // single calls that are forgotten
	Cells         int64  `json:"cells"`  // figures of an hour and a model, a decoding or a client that are forgotten
}

func (sh *shell) learnPrune(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err = cmp.Or(err, sh.noArguments(c, 0)); err != nil {
		return err
	}
	r := learn.Retention{Most: c.Int("most")}
	if r.Most < 0 {
		return usagef("--most is a number of calls, and %d is none", r.Most)
	}
	if r.Events, err = window("events", c.String("events")); err != nil {
		return err
	}
	if r.Hours, err = window("hours", c.String("hours")); err != nil {
		return err
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	defer sh.keepsWaiting("forgetting what is old\n")()
	gone, err := s.Prune(sh.ctx, sh.now(), r)
	if err != nil {
		return err
	}
	report := learnPruned{diag.SchemaVersion, "learn-prune", gone.Events, gone.Cells}
	return sh.printed("", format, report, func() ([]byte, error) {
		return fmt.Appendf(nil, "forgot %s and %s of single hours\n", counted(int(gone.Events), "call"), counted(int(gone.Cells), "figure")), nil
	})
}

func (sh *shell) learnResetCommand() *cli.Command {
	return &cli.Command{
		Name: "reset", Usage: "forget tools, or what they were like at first", ArgsUsage: "[TOOL...]",
		Description: learnTools + ` Without one: all tools, or those of --server. Forgets their calls, figures and conclusions, under every contract; what people state of
them stays. With --baselines only what they were like at first, which the next evaluation takes anew. It cannot be taken back: say --yes.`,
		Flags: learnFlags(
			&cli.StringFlag{Name: "server", Usage: "the tools of `SERVER` alone"},
			&cli.BoolFlag{Name: "baselines", Usage: "forget what the tools were like at first, and nothing else"},
			&cli.BoolFlag{Name: "yes", Usage: "do it without a question"},
			formatFlag("text", "json", "yaml"),
		),
		Action: sh.learnReset,
	}
}

// learnForgotten is what reset prints.
type learnForgotten struct {
	SchemaVersion int      `json:"schemaVersion"`
	Report        string   `json:"report"`
	Baselines     bool     `json:"baselines"` // nothing else was forgotten
	Tools         int      `json:"tools"`     // each under one contract
	Names         []string `json:"names"`     // of the first of them, as SERVER/TOOL
}

func (sh *shell) learnReset(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err = cmp.Or(err, sh.onlyDashDash()); err != nil {
		return err
	}
	if c.IsSet("server") && c.String("server") == "" {
		return usagef("--server is empty; name a server")
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	filters := []learn.Filter{{Server: c.String("server")}}
	for i, word := range c.Args().Slice() {
		r, err := sh.foundTool(s, c.String("server"), word)
		if err != nil {
			return err
		}
		if f := filterOf(r.Tool); i == 0 {
			filters[0] = f
		} else {
			filters = append(filters, f)
		}
	}
	goes, err := sh.forgetting(s, filters)
	if err == nil {
		err = sh.sureOfReset(c, goes)
	}
	if err != nil {
		return err
	}
	report := learnForgotten{diag.SchemaVersion, "learn-reset", c.Bool("baselines"), 0, goes.names}
	for _, f := range filters {
		n, err := s.Reset(sh.ctx, f, report.Baselines)
		if errors.Is(err, learn.ErrUnknownTool) {
			return usage(err)
		}
		if err != nil {
			return err
		}
		report.Tools += n
	}
	return sh.printed("", format, report, func() ([]byte, error) {
		return fmt.Appendf(nil, "forgot %s%s%s\n", map[bool]string{true: "the baselines of "}[report.Baselines], counted(report.Tools, "tool"), goes.named()), nil
	})
}

// forgotten is what a reset is about.
type forgotten struct {
	calls int64
	tools int
	names []string // of the first tools
}

// named lists the tools, behind how many they are.
func (f forgotten) named() string {
	if len(f.names) == 0 {
		return ""
	}
	var brieves []string
	for _, name := range f.names {
		brieves = append(brieves, brief(name))
	}
	return " (" + strings.Join(brieves, ", ") + map[bool]string{true: ", ..."}[f.tools > len(f.names)] + ")"
}

func (sh *shell) forgetting(s *sqlstore.Store, filters []learn.Filter) (goes forgotten, err error) {
	goes.names = []string{}
	for _, f := range filters {
		f.Windows = learn.OnlyAll
		for r, err := range s.Records(sh.ctx, f) {
			if corrupt := (*learn.CorruptError)(nil); errors.As(err, &corrupt) {
				break // it can be forgotten all the same
			}
			if err != nil {
				return goes, err
			}
			goes.calls += r.Cell(learn.All, learn.Dimensions{}).Invocations
			if goes.tools++; goes.tools <= howMany {
				goes.names = append(goes.names, r.Tool.String())
			}
		}
	}
	return goes, nil
}

// sureOfReset asks before something is forgotten, where nobody said yes on the line.
func (sh *shell) sureOfReset(c *cli.Context, goes forgotten) error {
	if c.Bool("yes") {
		return nil
	}
	what := fmt.Sprintf("%s with %s", counted(goes.tools, "tool"), counted(int(goes.calls), "call"))
	if c.Bool("baselines") {
		what = "the baselines of " + counted(goes.tools, "tool")
	}
	what += goes.named()
	if !isTerminal(sh.in) || !isTerminal(sh.err) {
		return usagef("this would forget %s; nothing was forgotten; say --yes", what)
	}
	forgetKeys(sh.in)
	fmt.Fprintf(sh.err, "This forgets %s. Do it? [y/N] ", what)
	err := sh.saidYes(bufio.NewReader(sh.in))
	if errors.Is(err, errDeclined) {
		return &exitError{exitFindings, errors.New("nothing was forgotten: the answer was not yes")}
	}
	return err
}
