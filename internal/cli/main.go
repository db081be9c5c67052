package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
)

// shell is what a command may use of the world outside.
type shell struct {
	ctx    context.Context
	in     io.Reader
	out    io.Writer
	err    io.Writer
	getenv func(string) (string, bool)
	now    func() time.Time
	rest   []string // the words behind "--"; nil when there was none
}

// Main runs anvil and returns its exit code. An interrupt or SIGTERM ends it in order: child processes are gone when it returns.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	sh := &shell{ctx: ctx, in: stdin, out: stdout, err: stderr, getenv: os.LookupEnv, now: time.Now}
	return sh.run(args)
}

func (sh *shell) run(args []string) int {
	app := sh.app()
	words, rest := splitRest(args)
	sh.rest = rest
	err := app.RunContext(sh.ctx, flagsFirst(app, words))
	var coded *exitError
	if err != nil && !(errors.As(err, &coded) && coded.err == nil) {
		fmt.Fprintf(sh.err, "anvil: %s\n", printableLines(err.Error()))
	}
	return exitCode(err)
}

// printableLines escapes what an error carries of a server's text, line by line.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = diag.Printable(line)
	}
	return strings.Join(lines, "\n")
}

func (sh *shell) app() *cli.App {
	app := &cli.App{
		Name:            "anvil",
		Usage:           "adopt any MCP server you do not control",
		HideVersion:     true,
		HideHelpCommand: true,
		Writer:          sh.out,
		ErrWriter:       sh.err,
		ExitErrHandler:  func(*cli.Context, error) {}, // the library would exit the process
		OnUsageError:    onUsageError,
		Action:          sh.noCommand,
		Commands: []*cli.Command{
			{
				Name: "mcp", Usage: "inspect, adopt, compare and serve MCP servers", Action: sh.noCommand,
				Subcommands: []*cli.Command{
					sh.inspectCommand(), sh.snapshotCommand(), sh.adoptCommand(), sh.diffCommand(), sh.checkCommand(),
					sh.approveCommand(), sh.callCommand(), sh.serveCommand(),
				},
			},
			{
				Name: "pack", Usage: "work with a pack", Action: sh.noCommand,
				Subcommands: []*cli.Command{sh.packVerifyCommand()},
			},
			sh.rulesCommand(), sh.versionCommand(),
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
	return usagef("%w; see `%s --help`", err, c.Command.HelpName)
}

// noCommand answers a missing or unknown command word.
func (sh *shell) noCommand(c *cli.Context) error {
	group := strings.TrimSpace(c.App.Name + " " + strings.TrimPrefix(c.Command.FullName(), c.App.Name))
	if word := c.Args().First(); word != "" {
		return usagef("unknown command %q; see `%s --help`", word, group)
	}
	if len(c.Command.Subcommands) > 0 && c.Command.Name != "" && c.Command.Name != c.App.Name {
		_ = cli.ShowSubcommandHelp(c)
	} else {
		_ = cli.ShowAppHelp(c)
	}
	return &exitError{exitUsage, nil}
}

// splitRest takes the words behind the first "--" off the line.
func splitRest(args []string) (words, rest []string) {
	for i, a := range args {
		if a == "--" {
			return args[:i:i], append([]string{}, args[i+1:]...)
		}
	}
	return args, nil
}

// flagsFirst puts the flags of the chosen command before its arguments, since the library stops reading flags at the first argument.
func flagsFirst(app *cli.App, words []string) []string {
	path, commands := 1, app.Commands
	var flags []cli.Flag
	for path < len(words) {
		c := findCommand(commands, words[path])
		if c == nil {
			break
		}
		flags, commands = c.Flags, c.Subcommands
		path++
	}
	path = min(path, len(words))
	sorted, arguments := append([]string{}, words[:path]...), []string{}
	for i := path; i < len(words); i++ {
		word := words[i]
		if !strings.HasPrefix(word, "-") || word == "-" {
			arguments = append(arguments, word)
			continue
		}
		sorted = append(sorted, word)
		if takesValue(flags, word) && i+1 < len(words) {
			i++
			sorted = append(sorted, words[i])
		}
	}
	return append(sorted, arguments...)
}

func findCommand(commands []*cli.Command, word string) *cli.Command {
	for _, c := range commands {
		if c.HasName(word) {
			return c
		}
	}
	return nil
}

// takesValue reports a known flag whose value is the next word.
func takesValue(flags []cli.Flag, word string) bool {
	name := strings.TrimLeft(word, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		for _, known := range f.Names() {
			if known == name {
				_, isBool := f.(*cli.BoolFlag)
				return !isBool
			}
		}
	}
	return false
}
