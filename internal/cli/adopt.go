package cli

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

func (sh *shell) adoptCommand() *cli.Command {
	return &cli.Command{
		Name: "adopt", Usage: "adopt a server: capture it, gate it and write its pack",
		ArgsUsage: "TARGET",
		Description: `Writes the folder whole or not at all. Adopting into a pack that is there keeps the approvals whose operation has the same
contract and text still, and every block, and compares with the surface it was made of, unless --base names another. What the configuration
states of single tools in its section annotations is put over what is inferred. Nothing is written when the gate refuses the surface;
what it lets pass because somebody accepted it is told on stderr.

` + targetUsage,
		Flags: targetFlags(append([]cli.Flag{
			&cli.StringFlag{Name: "mode", Value: string(pack.Adopt), Usage: "adopt (reference the server as it is), facade (run it behind anvil) or replace, as `MODE`"},
			&cli.StringFlag{Name: "out", Usage: "write the pack to this `FOLDER`"},
			&cli.StringFlag{Name: "base", Usage: "compare with this `SNAPSHOT` file or pack, into diff/"},
			formatFlag(reportFormats...),
			learnFlag("use what was observed of the server's tools"),
			&cli.StringFlag{Name: "approve", Value: "none", Usage: "approve these `OPERATIONS` at once: none, read-only or all"},
		}, append(gateFlags(), approvalFlags()...)...)...),
		Action: sh.adopt,
	}
}

func (sh *shell) adopt(c *cli.Context) error {
	format, err := parseFormat(c, reportFormats...)
	if err != nil {
		return err
	}
	out := c.String("out")
	mode, err := modeOf(c, out)
	if err != nil {
		return err
	}
	target, err := sh.target(c, c.Args().Slice(), sh.rest)
	if err != nil {
		return err
	}
	in, err := sh.inputs(c, mode, target)
	if err != nil {
		return err
	}
	selection, err := sh.selection(c, c.String("approve"))
	if err = cmp.Or(err, sh.checkGate(c)); err != nil {
		return err
	}
	seen, err := sh.observe(c, target)
	if err != nil {
		return err
	}
	let, err := sh.passGate(c, "adopt", format, seen)
	if err != nil {
		return err
	}
	selection.concerns = let.concerns
	in.Snapshot = seen.snapshot
	if in.Decided.Overlays, err = sh.overlaysFor(c, target, seen.snapshot); err != nil {
		return err
	}
	return sh.replacePack(c, out, in, selection, let, format)
}

// replacePack builds the pack and puts it into the folder while nobody else changes that, and tells so. let is what the gate said.
func (sh *shell) replacePack(c *cli.Context, out string, in emit.Inputs, selection selection, let letIn, format string) error {
	if err := makeParent(out); err != nil {
		return err
	}
	return sh.exclusively(out, func() error {
		built, given, err := sh.adoptInto(c, out, in, selection)
		if err != nil {
			return err
		}
		sh.tellPassed(let.findings)
		selection.concerns.tell(sh.err, given.chosen, given.skipped, out)
		return sh.printAdopted(c, out, built, let, format)
	})
}

// checkGate says what is wrong with the settings of the gate, before anything is started.
func (sh *shell) checkGate(c *cli.Context) error {
	_, err := sh.gateOptions(c)
	return err
}

// modeOf is the mode that was asked for. A pack that is built again stays what it is.
func modeOf(c *cli.Context, out string) (pack.Mode, error) {
	mode, err := parseMode(c.String("mode"))
	if err != nil {
		return "", err
	}
	earlier, err := checkOut(out)
	if earlier != nil && !c.IsSet("mode") {
		mode = earlier.Manifest.Mode
	}
	return mode, err
}

// inputs are those of a pack that do not come from the server.
func (sh *shell) inputs(c *cli.Context, mode pack.Mode, target config.Target) (in emit.Inputs, err error) {
	in.Mode, in.Auth = mode, target.Server.Auth()
	if in.Upstream, err = sh.upstreamOf(mode, target); err != nil {
		return in, err
	}
	if in.Serving, err = sh.serving(c); err != nil {
		return in, err
	}
	in.Base, err = readBase(c.String("base"))
	return in, err
}

// adoptInto builds the pack and puts it in place; what the pack that is there made of the same is kept. What was decided while the server was
// asked counts: the decisions are read now.
func (sh *shell) adoptInto(c *cli.Context, out string, in emit.Inputs, selection selection) (built emit.Built, given approving, err error) {
	earlier, err := checkOut(out)
	if err != nil {
		return built, given, err
	}
	if in.Auth.Type == air.AuthUnknown && earlier != nil {
		kept, _, err := emit.InputsOf(earlier) // a snapshot says nothing of it
		if err != nil {
			return built, given, err
		}
		in.Auth = kept.Auth
	}
	if earlier != nil {
		if settings, err := earlier.Settings(); err == nil {
			in.Serving = in.Serving.Keeping(settings.Serving)
		}
	}
	decided, withdrawn, err := sh.decided(c, earlier, in.Snapshot, in.Decided.Overlays)
	if err != nil {
		return built, given, err
	}
	if in.Learned, err = sh.learned(c, in.Snapshot, earlier); err != nil {
		return built, given, err
	}
	lowered, _ := decided.Lower(in.Snapshot, in.Learned)
	if in.Serving.Policy, err = sh.policyFor(c, earlier, in, lowered); err != nil {
		return built, given, err
	}
	if given, err = sh.approvalsFor(earlier, lowered, decided, selection); err != nil {
		return built, given, err
	}
	in.Approvals, in.Decided, in.Earlier = given.approvals, given.decided, earlier
	if in.Base, err = baseFrom(earlier, in); err != nil {
		return built, given, err
	}
	if built, err = emit.Build(in); err != nil {
		return built, given, err
	}
	built.Findings = append(built.Findings, withdrawn...)
	diag.Sort(built.Findings)
	return built, given, sh.writePack(out, earlier, built)
}

// baseFrom is what the pack is compared with: what the line gives or, where the surface is another than the earlier pack was made of, that one. Where it is the same, the comparison that the earlier pack holds stays.
func baseFrom(earlier *pack.Pack, in emit.Inputs) (*surface.McpSurfaceSnapshot, error) {
	if in.Base != nil || earlier == nil || earlier.Manifest.Snapshot == in.Snapshot.Digest {
		return in.Base, nil
	}
	return earlier.Snapshot()
}

func parseMode(word string) (pack.Mode, error) {
	switch mode := pack.Mode(word); mode {
	case pack.Adopt, pack.Facade:
		return mode, nil
	case pack.Replace:
		return "", usagef("--mode replace generates a server from the upstream's OpenAPI document: it needs --openapi, which is not there yet; use --mode facade to run the server behind anvil")
	}
	return "", usagef("--mode %q is not known: use adopt, facade or replace", word)
}

// checkOut refuses a folder that holds something else than a pack, and returns the pack that is there.
func checkOut(out string) (*pack.Pack, error) {
	if out == "" {
		return nil, usagef("say where the pack goes: --out FOLDER")
	}
	if err := checkOutside(out); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(out)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err != nil:
		return nil, usagef("--out %s cannot be a pack: %w", out, err)
	case len(entries) == 0:
		return nil, nil
	case !pack.IsPack(out):
		return nil, usagef("--out %s is not empty and not a pack: nothing in it was touched; choose another folder", out)
	}
	p, _, err := openTrusted(out)
	if err != nil {
		return nil, fmt.Errorf("--out cannot be replaced, since its approvals cannot be trusted: %w; to start anew remove the folder", err)
	}
	return p, nil
}

// upstreamOf returns how a facade reaches the target; nil in other modes.
func (sh *shell) upstreamOf(mode pack.Mode, t config.Target) (*pack.Upstream, error) {
	if mode != pack.Facade {
		return nil, nil
	}
	if t.Path != "" {
		return nil, usagef("--mode facade needs the server itself (a name, a URL or -- COMMAND ARG...), and %s is a %s", t.Path, t.Kind)
	}
	s, err := portable(t.Server)
	if err != nil {
		return nil, usagef("%w; nothing was written, since the pack would hold it", err)
	}
	_, transport, err := sh.dialer(t.Server, nil)
	return &pack.Upstream{
		Server: s.Name, Transport: transport, Command: s.Command, Args: s.Args, Dir: s.Dir, Env: s.Env, URL: s.URL, Headers: s.Headers,
	}, err
}

// serving is how the facade is to serve the pack, as far as the configuration says.
func (sh *shell) serving(c *cli.Context) (pack.Serving, error) {
	file, err := sh.loadConfig(c)
	if err != nil || file == nil {
		return pack.Serving{}, err
	}
	return file.Serving, nil
}

func readBase(path string) (*surface.McpSurfaceSnapshot, error) {
	if path == "" {
		return nil, nil
	}
	if pack.IsPack(path) {
		p, err := pack.Open(path)
		if err != nil {
			return nil, err
		}
		return p.Snapshot()
	}
	return surface.ReadFile(path)
}

// adoptReport is the report of adopt: what the bridge found, what of the gate's findings refuses the surface, was accepted or
// warns of its security, and the pack.
type adoptReport struct {
	diag.Report
	Pack packView `json:"pack,omitzero"` // absent when nothing was written
}

type packView struct {
	Folder     string    `json:"folder"`
	Mode       pack.Mode `json:"mode"`
	Digest     string    `json:"digest"`
	Operations int       `json:"operations"`
	Approved   int       `json:"approved"`
	Next       string    `json:"next"`
}

// printAdopted says what was found and what to type next.
func (sh *shell) printAdopted(c *cli.Context, out string, built emit.Built, let letIn, format string) error {
	d := built.Document
	view := packView{out, built.Manifest.Mode, built.Manifest.Digest, len(d.Operations), len(d.Approved().Operations), ""}
	steps, findings := nextAfterAdopt(out, built, let.concerns), let.findings
	if len(steps) > 0 {
		view.Next = steps[0].Command
	}
	for _, f := range built.Findings {
		if !slices.ContainsFunc(findings, func(known diag.Finding) bool { return known.Fingerprint == f.Fingerprint }) {
			f.Hint = (&pack.Pack{Dir: out, Manifest: built.Manifest}).Hint(f.Hint)
			findings = append(findings, f)
		}
	}
	report := diag.NewReport("adopt", findings)
	lead, look := adoptedLines(out, built), "anvil mcp inspect "+diag.ShellPath(out)
	return sh.show(c, sheet{
		Report: report, value: adoptReport{report, view}, threshold: diag.FailOnError, inspect: look,
		text: leading(lead + "\nfindings: " + findingsLine(report, let.all, look) + "\n"), markdown: leading("```\n" + lead + "```\n\n"), next: steps,
	}, format)
}

// adoptedLines tell what was written.
func adoptedLines(out string, built emit.Built) string {
	var b strings.Builder
	d := built.Document
	fmt.Fprintf(&b, "adopted %s %s into %s (%s mode)\n", diag.Printable(orUnnamed(d.Service.Name)), diag.Printable(d.Service.Version), out, built.Manifest.Mode)
	fmt.Fprintf(&b, "  tools     %s\n", effectCounts(d))
	fmt.Fprintf(&b, "  approved  %d of %d\n", len(d.Approved().Operations), len(d.Operations))
	if learned := learnedLine(d); learned != "" {
		fmt.Fprintf(&b, "  learned   %s\n", learned)
	}
	writeDecided(&b, out, d)
	if len(d.Resources)+len(d.ResourceTemplates)+len(d.Prompts) > 0 {
		fmt.Fprintf(&b, "  kept      %s, %s, %s\n", counted(len(d.Resources), "resource"), counted(len(d.ResourceTemplates), "template"),
			counted(len(d.Prompts), "prompt"))
	}
	if built.Manifest.Base != "" {
		fmt.Fprintf(&b, "  changes   %s; read %s\n", diag.NewReport("diff", built.Changes).Summary.Line(), filepath.Join(out, filepath.FromSlash(pack.ChangesText)))
	}
	fmt.Fprintf(&b, "  pack      %s\n", built.Manifest.Digest)
	return b.String()
}

// effectCounts lists the tools by inferred effect, the most first: "10: 4 read, unverified; 3 mutation, financial risk; ...".
func effectCounts(d air.Document) string {
	counts := map[string]int{}
	for _, o := range d.Operations {
		words := effectWords(o)
		if o.Effect.Kind != air.Read {
			words += ", " + string(o.Effect.Risk) + " risk"
		}
		counts[words]++
	}
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, words := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", counts[words], words)
	}
	return fmt.Sprintf("%d: %s", len(d.Operations), orNone(strings.Join(kinds, "; ")))
}

// nextAfterAdopt are the steps after an adoption. An approval that lapsed is looked at before anything else.
func nextAfterAdopt(out string, built emit.Built, c concerns) []step {
	steps := nextForPack(diag.ShellPath(out), built.Manifest.Mode, standings(built.Document, c))
	at := slices.IndexFunc(steps, func(s step) bool { return strings.HasPrefix(s.Command, "anvil mcp review ") })
	if slices.ContainsFunc(built.Document.Operations, func(o air.Operation) bool { return o.Lapsed != nil }) && at > 0 {
		review := steps[at]
		steps = slices.Insert(slices.Delete(steps, at, at+1), 0, review)
	}
	return steps
}
