package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/commands"
	"anvil/internal/packcli"
)

func (sh *shell) packRunCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "run the command line of a pack: one command for each approved operation",
		ArgsUsage: "PACK -- COMMAND [FLAG...]",
		Description: `This is what cli/SERVICE in a pack starts. Behind -- stands the line as that program takes it; see all commands with

   anvil pack run PACK -- --help

A call goes through the pack's facade, as with "anvil mcp serve": to the server that the pack names, or to the one of --target. The flags here are
for that server.`,
		Flags: append(headerFlags(), configFlag(),
			&cli.StringFlag{Name: "transport", Usage: "force a `TRANSPORT` to --target: stdio, http or sse"},
			&cli.StringFlag{Name: "called", Usage: "the `PROGRAM` that was typed, for help and completion"},
			&cli.StringFlag{Name: "signature", Usage: "refuse a pack whose surface signature is not this `DIGEST`"},
		),
		Action: sh.packRun,
	}
}

func (sh *shell) packRun(c *cli.Context) error {
	switch {
	case c.NArg() == 0:
		return usagef("say which pack: anvil pack run PACK -- COMMAND")
	case c.NArg() > 1:
		return usagef("unexpected argument %q: the command of the pack stands behind --, as in anvil pack run %s -- %s", c.Args().Get(1), diag.ShellPath(c.Args().First()),
			diag.ShellWord(c.Args().Get(1)))
	}
	if len(sh.rest) > 1 && sh.rest[0] == packcli.CompleteWord {
		return sh.complete(c.Args().First(), sh.rest[1], sh.rest[2:])
	}
	return sh.refused(sh.rest, sh.runLine(c))
}

// runLine runs the line behind "--".
func (sh *shell) runLine(c *cli.Context) error {
	p, document, err := openToCall(c.Args().First())
	if err != nil {
		return err
	}
	if want := c.String("signature"); want != "" && want != document.Signature().Digest {
		return &exitError{exitFindings, fmt.Errorf("pack %s has another surface than the command line that was started: its signature is %s, not %s; start %s", p.Dir,
			document.Signature().Digest, want, diag.ShellPath(p.Dir+"/"+pack.CommandLine(p.Manifest.ID)))}
	}
	o := packcli.Options{Called: c.String("called"), Dir: p.Dir, Now: sh.now()}
	if p.Manifest.Mode == pack.Facade {
		settings, err := p.Settings()
		if err != nil {
			return err
		}
		o.Server = settings.Upstream.Command
	}
	run := packRun{shell: sh, flags: c, pack: p, document: document, line: packcli.New(document, o)}
	return run.do(sh.rest)
}

// complete prints how the words can go on.
func (sh *shell) complete(dir, shell string, words []string) error {
	p, err := pack.Open(dir)
	if err != nil {
		return err
	}
	var catalogue commands.Catalogue
	if err := canon.Decode(p.Files[pack.CommandsFile], &catalogue); err != nil {
		return fmt.Errorf("read %s of pack %s: %w", pack.CommandsFile, dir, err)
	}
	return sh.writePage([]byte(packcli.FromCatalogue(catalogue, packcli.Options{Dir: dir}).Complete(shell, words)))
}

// packRun is one run of a pack's command line.
type packRun struct {
	*shell
	flags    *cli.Context
	pack     *pack.Pack
	document air.Document
	line     *packcli.CLI
}

func (r packRun) do(words []string) error {
	l, err := r.line.Parse(words)
	switch {
	case err != nil:
		return lineError(err)
	case l.Help:
		return r.writePage([]byte(r.line.Help(l.Command)))
	case l.Version:
		_, err := fmt.Fprintf(r.out, "%s %s\npack %s\nsurface %s\nanvil %s\n", r.document.Service.ID, diag.Printable(r.document.Service.Version),
			r.pack.Manifest.Digest, r.document.Signature().Digest, version)
		return err
	case l.Completion != "":
		return r.writePage([]byte(r.line.Script(l.Completion)))
	case l.Command == nil:
		fmt.Fprint(r.err, r.line.Help(nil)) // nobody asked for it, so it is no result
		return &exitError{exitUsage, nil}
	case l.Schema:
		return r.printSchemas(*l.Command)
	}
	return r.prepare(l)
}

// lineError gives a line that cannot be done its exit code: what nobody approved, or somebody blocked, is refused as in `mcp call`.
func lineError(err error) error {
	var wrong *packcli.UsageError
	if errors.As(err, &wrong) && wrong.Code == air.ErrPolicyDenied {
		return &exitError{exitFindings, err}
	}
	return usage(err)
}

// printSchemas prints what the command takes and answers.
func (r packRun) printSchemas(c commands.Command) error {
	text, err := canon.Encode(struct {
		SchemaVersion int       `json:"schemaVersion"`
		Operation     string    `json:"operation"`
		Input         canon.Raw `json:"input,omitzero"`
		Output        canon.Raw `json:"output,omitzero"`
	}{commands.SchemaVersion, c.Operation, c.Input, c.Output})
	if err != nil {
		return err
	}
	return r.writePage(diag.PrintableJSON(text))
}

// prepare makes the request, holds it against the schema, and calls once nothing speaks against it.
func (r packRun) prepare(l packcli.Line) error {
	arguments, err := r.line.Arguments(l, r.readArgument)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithTimeout(r.ctx, heldTime)
	defer cancel()
	refused, unsure := r.line.Fit(ctx, l.Command, arguments)
	if refused != nil {
		return usage(refused)
	}
	if unsure != nil && r.ctx.Err() == nil {
		fmt.Fprintln(r.err, r.clean(fmt.Sprintf("warning: the arguments were not held against the schema of %s: %v; the server judges them", l.Command.Name, unsure)))
	}
	params := callParams(l.Command.Tool, arguments)
	if l.DryRun {
		return r.printRequest(l, params)
	}
	if err := r.confirmed(question{l.Command.Name, l.Command.Confirmation, params, l.Confirm}); err != nil {
		return err
	}
	return r.call(l, params)
}

// printRequest tells what would be sent and asked. The session adds the members of JSON-RPC.
func (r packRun) printRequest(l packcli.Line, params []byte) error {
	asks, person := l.Command.Confirmation.Required, l.Command.Confirmation.HumanApproval
	if l.Format == "json" {
		text, err := canon.Encode(struct {
			SchemaVersion int       `json:"schemaVersion"`
			Operation     string    `json:"operation"`
			Request       canon.Raw `json:"request"`
			Asks          bool      `json:"asks"`
			Person        bool      `json:"person"` // a yes of a person's at a terminal is wanted
			Reason        string    `json:"reason,omitzero"`
			Confirmed     bool      `json:"confirmed"`
		}{commands.SchemaVersion, l.Command.Operation, requestOf(params), asks, person, l.Command.Confirmation.Reason, l.Confirm && !person})
		if err != nil {
			return err
		}
		return r.writePage(diag.PrintableJSON(text))
	}
	fmt.Fprintf(r.out, "%s\n", diag.PrintableJSON(requestOf(params)))
	switch {
	case person:
		fmt.Fprintf(r.err, "it waits for a person's yes at a terminal (%s); --confirm is no yes\n", diag.Printable(l.Command.Confirmation.Reason))
	case asks && l.Confirm:
		fmt.Fprintf(r.err, "it asks for confirmation (%s), and --confirm says yes\n", diag.Printable(l.Command.Confirmation.Reason))
	case asks:
		fmt.Fprintf(r.err, "it asks for confirmation (%s): say yes with --confirm\n", diag.Printable(l.Command.Confirmation.Reason))
	default:
		fmt.Fprintln(r.err, "it asks nobody")
	}
	fmt.Fprintln(r.err, "nothing was started and nothing was sent")
	return nil
}

// readArgument reads a file that a flag names; "-" is stdin.
func (r packRun) readArgument(name string) ([]byte, error) {
	in := r.in
	if name == "-" {
		r.piped = true
	} else {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxArguments+1))
	if err == nil && len(data) > maxArguments {
		err = fmt.Errorf("it is longer than %d bytes", maxArguments)
	}
	return data, err
}
