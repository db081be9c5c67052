package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/surface"
	"anvil/internal/config"
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
		case strings.HasSuffix(file, surface.FileSuffix):
			return nil, usagef("--report %q: %s is what a snapshot is called, and a report would take its place; name another file", text, file)
		case slices.ContainsFunc(reports, func(r fileReport) bool { return filepath.Clean(r.file) == filepath.Clean(file) }):
			return nil, usagef("--report %q: another report goes to this file already", text)
		}
		if err := replaceable(c, file); err != nil {
			return nil, usagef("--report %q: %w", text, err)
		}
		reports = append(reports, fileReport{format, file})
	}
	return reports, nil
}

// replaceable refuses a file that a report must not take the place of: what is no file, the configuration, and a snapshot or another file of the line,
// by whatever way the path leads there.
func replaceable(c *cli.Context, file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil // there is none, or writing it tells
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; name one, or a new one", file)
	}
	for _, used := range inUse(c) {
		if other, err := os.Stat(used); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("%s is %s, which this run reads; name another file", file, used)
		}
	}
	return nil
}

// inUse are the files that a command reads: its configuration, the snapshots, and what the line names.
func inUse(c *cli.Context) []string {
	files := c.Args().Slice()
	if found, ok := config.Find("."); c.String("config") != "" {
		files = append(files, c.String("config"))
	} else if ok {
		files = append(files, found)
	}
	store := surface.Store{Dir: cmp.Or(c.String("dir"), defaultDir)}
	names, _ := store.Names() // a folder that cannot be read has none to lose
	for _, name := range names {
		files = append(files, store.Path(name))
	}
	return files
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
