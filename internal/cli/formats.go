package cli

import (
	"path"
	"path/filepath"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/diag/export"
	"anvil/compiler/surface"
)

// reportFormats are the formats of the reports that CI reads.
var reportFormats = []string{"text", "json", "yaml", "markdown", "sarif", "junit", "github"}

// exported renders a report in a format of other programs; it is nil for the formats of anvil's own. Findings about clients that nobody named are
// left out: they would drown the rest.
func exported(c *cli.Context, r diag.Report, format string, threshold diag.Threshold) ([]byte, error) {
	shown, _ := aside(r)
	t := export.Tool{Name: "anvil", Version: version, Rules: allRules(), Threshold: threshold, Broken: isBroken, Artifact: func(server string) string {
		if surface.CheckName(server) != nil {
			return "anvil.yaml"
		}
		dir := "testdata/snapshots"
		if given := c.String("dir"); given != "" && filepath.IsLocal(given) {
			dir = given
		}
		return path.Join(filepath.ToSlash(dir), server+surface.FileSuffix)
	}}
	switch format {
	case "sarif":
		return export.SARIF(shown, t)
	case "junit":
		return export.JUnit(shown, t)
	case "github":
		return export.GitHub(shown, t), nil
	}
	return nil, nil
}

func (sh *shell) printExported(c *cli.Context, r diag.Report, format string, threshold diag.Threshold) error {
	data, err := exported(c, r, format, threshold)
	if err != nil {
		return err
	}
	_, err = sh.out.Write(sh.secret.hide(data))
	return err
}

// isExported reports a format of other programs.
func isExported(format string) bool { return strings.Contains(" sarif junit github ", " "+format+" ") }

// isBroken reports a server that could not be looked at: one whose state has an exit code of its own beyond findings.
func isBroken(s diag.Status) bool { return exitOf(s) > exitFindings }
