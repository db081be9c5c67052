package cli

import (
	"fmt"
	"os"
	"path/filepath"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/adopt/probe"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/yaml"
	"anvil/internal/atomicfile"
	"anvil/internal/config"
)

func (sh *shell) inspectCommand() *cli.Command {
	return &cli.Command{
		Name: "inspect", Usage: "show a server's surface and what the gate thinks of it",
		ArgsUsage: "TARGET", Description: targetUsage,
		Flags: targetFlags(
			formatFlag("text", "json", "yaml", "markdown"),
			&cli.StringFlag{Name: "fail-on", Value: string(diag.FailOnError), Usage: "exit 1 at findings of this class: error or warning"},
			&cli.StringFlag{Name: "out", Usage: "write the report to `FILE` instead of stdout"},
			&cli.StringFlag{Name: "evidence", Usage: "write how the capture went (timings, pages, noise) to `FILE`"},
		),
		Action: sh.inspect,
	}
}

func (sh *shell) inspect(c *cli.Context) error {
	threshold, err := diag.ParseThreshold(c.String("fail-on"), diag.FailOnError, diag.FailOnWarning)
	if err != nil {
		return usage(fmt.Errorf("--fail-on: %w", err))
	}
	format, err := parseFormat(c, "text", "json", "yaml", "markdown")
	if err != nil {
		return err
	}
	target, err := sh.target(c, c.Args().Slice(), sh.rest)
	if err != nil {
		return err
	}
	seen, err := sh.observe(c, target)
	if err != nil {
		return err
	}
	maxTools, err := sh.maxTools(c)
	if err != nil {
		return err
	}
	view := newInspection(seen, gate.Check(seen.snapshot, gate.Options{MaxTools: maxTools}, seen.findings...), adopt.Bridge(seen.snapshot))
	view.next = nextAfterInspect(target)
	data, err := view.render(format)
	if err != nil {
		return err
	}
	if err := sh.writeResult(c.String("out"), data); err != nil {
		return err
	}
	if err := writeEvidence(c.String("evidence"), seen); err != nil {
		return err
	}
	return found(len(view.Failing(threshold)) > 0)
}

// maxTools returns the configured tool budget, 0 when there is none.
func (sh *shell) maxTools(c *cli.Context) (int, error) {
	file, err := sh.loadConfig(c)
	if err != nil || file == nil {
		return 0, err
	}
	return file.Gate.MaxTools, nil
}

func formatFlag(formats ...string) cli.Flag {
	usage := "report `FORMAT`: "
	for i, f := range formats {
		if i > 0 {
			usage += ", "
		}
		usage += f
	}
	return &cli.StringFlag{Name: "format", Value: formats[0], Usage: usage}
}

func parseFormat(c *cli.Context, allowed ...string) (string, error) {
	format := c.String("format")
	for _, f := range allowed {
		if f == format {
			return f, nil
		}
	}
	return "", usagef("--format %q is not known here: use one of %v", format, allowed)
}

// writeResult writes to the file, or to stdout when none is named.
func (sh *shell) writeResult(path string, data []byte) error {
	if path == "" || path == "-" {
		_, err := sh.out.Write(data)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o644)
}

func writeEvidence(path string, seen observed) error {
	if path == "" {
		return nil
	}
	if !seen.live {
		return usagef("--evidence is about a capture, and this target is a file")
	}
	data, err := canon.Encode(struct {
		SchemaVersion int            `json:"schemaVersion"`
		Snapshot      string         `json:"snapshot"`
		Evidence      probe.Evidence `json:"evidence"`
	}{1, seen.snapshot.Digest, seen.evidence})
	if err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o644)
}

// reportBytes renders a report in one of the formats every reporting command has.
func reportBytes(v any, format string) ([]byte, error) {
	data, err := canon.Encode(v)
	if err != nil || format == "json" {
		return data, err
	}
	return yaml.FromJSON(data)
}

// nextAfterInspect is the command a user would type next.
func nextAfterInspect(t config.Target) string {
	switch t.Kind {
	case config.KindPack, config.KindSnapshot:
		return ""
	}
	return "anvil mcp adopt --mode facade --out DIR " + shellTarget(t)
}
