package cli

import (
	"path/filepath"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"
)

// reportFlag is for commands that a CI job runs once and wants several reports of.
func reportFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "report", Usage: "write the report to a file too, as `FORMAT=FILE`, repeatable: --report junit=anvil.xml"}
}

// fileReport is a report that --report asks for.
type fileReport struct{ format, file string }

// fileReports reads --report, and refuses what cannot be written before anything is started.
func fileReports(c *cli.Context) ([]fileReport, error) {
	var reports []fileReport
	for _, text := range c.StringSlice("report") {
		format, file, _ := strings.Cut(text, "=")
		switch {
		case !slices.Contains(reportFormats, format) || file == "" || file == "-":
			return nil, usagef("--report %q: give FORMAT=FILE, with one of %s", text, strings.Join(reportFormats, ", "))
		case isFolder(file):
			return nil, usagef("--report %q: %s is a folder; name a file in it", text, file)
		case slices.ContainsFunc(reports, func(r fileReport) bool { return filepath.Clean(r.file) == filepath.Clean(file) }):
			return nil, usagef("--report %q: another report goes to this file already", text)
		}
		reports = append(reports, fileReport{format, file})
	}
	return reports, nil
}

// writeReports writes the sheet to the files of --report, where the command has it.
func (sh *shell) writeReports(c *cli.Context, s sheet) error {
	reports, err := fileReports(c)
	if err != nil {
		return err
	}
	for _, r := range reports {
		data, err := s.render(c, r.format)
		if err != nil {
			return err
		}
		if err := sh.writeResult(r.file, sh.secret.hide(data)); err != nil {
			return err
		}
	}
	return nil
}
