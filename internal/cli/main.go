package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/wire"
)

// shell is what a command may use of the world outside.
type shell struct {
	ctx    context.Context
	in     io.Reader
	piped  bool // arguments were read from in, and whoever wrote them may have written on
	out    *resultWriter
	err    io.Writer
	getenv func(string) (string, bool)
	now    func() time.Time
	rest   []string // the words behind "--"; nil when there was none
	secret secrets  // never printed, whoever says them
	config loadedConfig

	progressShown bool // for several servers at a time, so that none is announced by itself
}

// Main runs anvil and returns its exit code. An interrupt, SIGTERM, SIGQUIT or the end of the terminal ends it in order: child processes are gone
// when it returns. A second one ends it at once, and them too.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ending := endSignals()
	ctx, stop := signal.NotifyContext(context.Background(), ending...)
	defer stop()
	defer wire.KillAll()
	context.AfterFunc(ctx, func() { wire.KillOnSignal(ending...) }) // whoever asks a second time is not asked to wait
	sh := &shell{ctx: ctx, in: stdin, out: &resultWriter{w: stdout}, err: stderr, getenv: os.LookupEnv, now: time.Now}
	return sh.run(args)
}

// endSignals are the signals that end anvil. One that whoever started it ignores, as nohup does, stays ignored.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP}
	return slices.DeleteFunc(signals, signal.Ignored)
}

func (sh *shell) run(args []string) int {
	app := sh.app()
	words, rest := splitRest(args)
	sh.rest = rest
	err := app.RunContext(sh.ctx, flagsFirst(app, words))
	switch {
	case err != nil && sh.ctx.Err() != nil:
		err = &exitError{exitFailed, errors.New("interrupted; what was under way was given up")}
	case sh.out.err != nil && exitCode(err) <= exitFindings:
		err = fmt.Errorf("write the result: %w", sh.out.err)
	}
	var coded *exitError
	if err != nil && !(errors.As(err, &coded) && coded.err == nil) {
		fmt.Fprintf(sh.err, "anvil: %s\n", sh.clean(err.Error()))
	}
	return exitCode(err)
}

// resultWriter keeps the first error, so that a result that did not arrive is never taken for success.
type resultWriter struct {
	w   io.Writer
	err error
}

func (r *resultWriter) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.w.Write(p)
	r.err = err
	return n, err
}

func (sh *shell) app() *cli.App {
	app := &cli.App{
		Name:            "anvil",
		Usage:           "adopt any MCP server you do not control",
		Description:     appHelp,
		Version:         version,
		HideHelpCommand: true,
		Writer:          sh.out,
		ErrWriter:       sh.err,
		ExitErrHandler:  func(*cli.Context, error) {}, // the library would exit the process
		OnUsageError:    onUsageError,
		Action:          sh.noCommand,
		// The library would split --arg text=a,b at the comma.
		DisableSliceFlagSeparator: true,
		Commands: []*cli.Command{
			{
				Name: "mcp", Usage: "inspect, adopt, compare and serve MCP servers", Action: sh.noCommand,
				Subcommands: []*cli.Command{
					sh.inspectCommand(), sh.snapshotCommand(), sh.adoptCommand(), sh.diffCommand(), sh.checkCommand(),
					sh.reviewCommand(), sh.approveCommand(), sh.blockCommand(), sh.callCommand(), sh.serveCommand(), sh.approvalsCommand(), sh.certifyCommand(),
				},
			},
			{
				Name: "pack", Usage: "work with a pack", Action: sh.noCommand,
				Subcommands: []*cli.Command{
					sh.packVerifyCommand(), sh.packShowCommand(), sh.packDiffCommand(), sh.packExplainCommand(), sh.packArchiveCommand(), sh.packOpenCommand(),
					sh.packRunCommand(),
				},
			},
			{
				Name: "keys", Usage: "make and show the keys that certificates are signed with", Action: sh.noCommand,
				Subcommands: []*cli.Command{sh.keysNewCommand(), sh.keysShowCommand()},
			},
			{
				Name: "policy", Usage: "see what the rules of a pack decide", Action: sh.noCommand,
				Subcommands: []*cli.Command{sh.policyTestCommand()},
			},
			sh.auditCommand(), sh.learnCommand(), sh.rulesCommand(), sh.schemaCommand(), sh.versionCommand(),
		},
	}
	prepare(app.Commands)
	return app
}

// prepare sets on every command what the library would otherwise decide badly.
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = onUsageError
		prepare(c.Subcommands)
	}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "unknown flag --" + name
		if len(name) == 1 {
			text = "unknown flag -" + name + ": the command that starts a server goes behind --, with its flags"
		}
	} else if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "--" + name + " needs a value"
	} else if rest, ok := strings.CutPrefix(text, "invalid value "); ok && strings.Contains(rest, "for flag -timeout") {
		text = "--timeout needs a time with its unit, such as 30s or 2m"
	}
	return usagef("%s; see `%s --help`", text, c.Command.HelpName)
}

// noCommand answers a missing or unknown command word.
func (sh *shell) noCommand(c *cli.Context) error {
	group := strings.TrimSpace(c.App.Name + " " + strings.TrimPrefix(c.Command.FullName(), c.App.Name))
	if word := c.Args().First(); word != "" {
		return usagef("unknown command %q; see `%s --help`", word, group)
	}
	c.App.Writer = sh.err // nobody asked for help, so it is no result
	if len(c.Command.Subcommands) > 0 && c.Command.Name != "" && c.Command.Name != c.App.Name {
		_ = cli.ShowSubcommandHelp(c)
	} else {
		_ = cli.ShowAppHelp(c)
	}
	return &exitError{exitUsage, nil}
}

// noArguments refuses words where a command takes at most limit of them and nothing behind "--".
func (sh *shell) noArguments(c *cli.Context, limit int) error {
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	if c.NArg() > limit {
		return usagef("unexpected argument %q; see `%s --help`", c.Args().Get(limit), c.Command.HelpName)
	}
	return nil
}
