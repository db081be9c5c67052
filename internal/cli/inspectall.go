package cli

import (
	"bytes"
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/internal/config"
)

// inspections is the report of inspect --all: every configured server in the common shape, with each surface in short.
type inspections struct {
	diag.Report
	Surfaces []serverSurface `json:"surfaces"` // of the servers that could be reached
}

type serverSurface struct {
	Server string `json:"server"`
	surfaceView
}

// inspectAll inspects every configured server side by side. One that cannot be reached hides no other.
func (sh *shell) inspectAll(c *cli.Context, threshold diag.Threshold, format string) error {
	if err := sh.checkInspectAll(c); err != nil {
		return err
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return err
	}
	servers, err := configured(file, nil)
	if err != nil {
		return err
	}
	views := make([]*inspection, len(servers))
	outcomes := sideBySide(servers, c.Int("jobs"), func(i int, s config.Server) outcome {
		seen, err := sh.observe(c, config.Target{Kind: config.KindName, Server: s})
		if err != nil {
			return sh.failed(s.Name, err)
		}
		view, err := sh.inspection(c, seen)
		if err != nil {
			return sh.failed(s.Name, err)
		}
		views[i] = &view
		return outcome{
			status:   diag.Status{Server: s.Name, State: stateInspected, Message: view.Summary.Line()},
			findings: serverFindings(s.Name, view.Findings),
		}
	})
	report := inspections{Report: joined("inspect", outcomes), Surfaces: []serverSurface{}}
	for i, view := range views {
		if view != nil {
			report.Surfaces = append(report.Surfaces, serverSurface{servers[i].Name, view.Surface})
		}
	}
	data, err := report.render(format)
	if err != nil {
		return err
	}
	if err := sh.writeResult(c.String("out"), sh.secret.hide(data)); err != nil {
		return err
	}
	return checkExit(report.Report, threshold, false)
}

func (sh *shell) checkInspectAll(c *cli.Context) error {
	switch {
	case c.NArg() > 0 || sh.rest != nil:
		return usagef("--all inspects every server of the configuration; leave the target out, or leave --all out")
	case c.String("evidence") != "":
		return usagef("--evidence is about one capture; inspect that server by name")
	case c.Int("jobs") < 1:
		return usagef("--jobs %d: at least one server must be probed at a time", c.Int("jobs"))
	}
	return nil
}

func (v inspections) render(format string) ([]byte, error) {
	var b bytes.Buffer
	switch format {
	case "json", "yaml":
		return reportBytes(v, format)
	case "markdown":
		writeStatusTable(&b, v.Servers)
		for _, s := range v.Surfaces {
			fmt.Fprintf(&b, "## %s\n\n", diag.MarkdownText(s.Server))
			if err := s.writeMarkdown(&b); err != nil {
				return nil, err
			}
		}
		err := v.WriteMarkdown(&b)
		return b.Bytes(), err
	}
	for _, line := range statusLines(v.Servers) {
		fmt.Fprintln(&b, line)
	}
	for _, s := range v.Surfaces {
		fmt.Fprintf(&b, "\n%s: ", diag.Printable(s.Server))
		if err := s.writeText(&b); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&b, "\n%s\n", v.Summary.Line())
	err := v.WriteText(&b)
	return b.Bytes(), err
}
