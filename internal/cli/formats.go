package cli

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/diag/export"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

// reportFormats are the formats of the reports that CI reads.
var reportFormats = []string{"text", "json", "yaml", "markdown", "sarif", "junit", "github"}

// exported renders what is shown of a report in a format of other programs.
func exported(c *cli.Context, shown diag.Report, format string, threshold diag.Threshold) ([]byte, error) {
	t := export.Tool{
		Name: "anvil", Version: version, Rules: allRules(), Threshold: threshold, Accepted: acceptedBy(c, shown), Target: targetName(c),
		Broken: isBroken, Unchecked: isUnchecked, Artifact: func(server string) string { return artifact(c, server) },
	}
	switch format {
	case "sarif":
		return export.SARIF(shown, t)
	case "junit":
		return export.JUnit(shown, t)
	}
	return export.GitHub(shown, t), nil
}

// acceptedBy says of which servers this run wrote the snapshots, whatever it found: with --update, of all that were not refused.
func acceptedBy(c *cli.Context, r diag.Report) func(server string) bool {
	refused := map[string]bool{}
	for _, s := range r.Servers {
		refused[s.Server] = s.State == stateRefused
	}
	return func(server string) bool { return c.Bool("update") && !refused[server] }
}

// targetName is what the line calls the one server of a report, or the new side of a difference: a name or a file's; "" when it gives an
// address or a command.
func targetName(c *cli.Context) string {
	if name := c.String("name"); name != "" {
		return name
	}
	if c.NArg() == 0 {
		return ""
	}
	name := c.Args().Get(c.NArg() - 1)
	if strings.Contains(name, "://") {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(name), surface.FileSuffix)
}

// artifact returns the file of the repository that findings about a server are shown on: its snapshot, or the file that the line names, the new
// one of two; the configuration when there is none.
func artifact(c *cli.Context, server string) string {
	candidates := []string{server}
	if server == "" {
		candidates = slices.Clone(c.Args().Slice())
		slices.Reverse(candidates)
		candidates = append([]string{c.String("name")}, candidates...) // of the snapshot that is taken
	}
	dir := cmp.Or(c.String("dir"), defaultDir)
	for _, name := range candidates {
		if file, ok := committed(name); ok && server == "" {
			return file
		}
		if file, ok := committed(filepath.Join(name, pack.ManifestFile)); ok && name != "" && c.Command.Name == "verify" {
			return file
		}
		if surface.CheckName(name) != nil {
			continue
		}
		if file, ok := committed(filepath.Join(dir, name+surface.FileSuffix)); ok {
			return file
		}
	}
	if file, ok := committed(c.String("config")); ok {
		return file
	}
	if found, ok := config.Find("."); ok {
		return path.Clean(filepath.ToSlash(found))
	}
	return "anvil.yaml"
}

// committed returns the path of a file below this folder, relative to it.
func committed(file string) (string, bool) {
	if filepath.IsAbs(file) {
		here, err := os.Getwd()
		if err != nil {
			return "", false
		}
		if file, err = filepath.Rel(here, file); err != nil {
			return "", false
		}
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || !filepath.IsLocal(file) {
		return "", false
	}
	return filepath.ToSlash(filepath.Clean(file)), true
}

// isExported reports a format of other programs.
func isExported(format string) bool { return strings.Contains(" sarif junit github ", " "+format+" ") }

// isUnchecked reports a server of which a report says nothing. One that the gate refuses was looked at.
func isUnchecked(s diag.Status) bool { return isBroken(s) && s.State != stateRefused }

// isBroken reports a server that could not be looked at, or whose snapshot could not be: one whose state ends the command by itself.
func isBroken(s diag.Status) bool { return exitOf(s) != exitClean }
