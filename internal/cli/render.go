package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/yaml"
)

// sheet is a report as a command shows it: its findings, and what stands around them in the formats for people and in those of anvil's own.
type sheet struct {
	diag.Report
	value     any                           // what JSON and YAML show; nil stands for the report
	text      func(io.Writer) error         // writes what stands before the findings; nil is nothing
	markdown  func(io.Writer) error         // the same, as Markdown
	document  func(diag.PageOptions) []byte // the whole of it as Markdown; nil where it is made of the findings
	next      []step
	inspect   string // where to read the warnings of the gate, which the text then has in short; "" shows them whole
	threshold diag.Threshold
	why       string               // it fails, where its classes do not tell
	headline  string               // of the Markdown, where the findings are not all that is found; "" is their summary
	remedy    remedy               // how to let pass what fails
	changes   *diag.GroupedOptions // the findings are differences for a reviewer; nil for others
}

// render shows the sheet in a format. Every command that reports findings prints them here.
func (s sheet) render(c *cli.Context, format string) ([]byte, error) {
	shown, hidden := aside(s.Report)
	var b bytes.Buffer
	switch {
	case isExported(format):
		return exported(c, shown, format, s.threshold)
	case format == "json" || format == "yaml":
		if s.value == nil {
			return reportBytes(s.Report, format)
		}
		return reportBytes(s.value, format)
	case format == "markdown" && s.document != nil:
		behind := s.behind()
		b.Write(s.document(s.page(utf8.RuneCountInString(behind))))
		b.WriteString(behind)
		return b.Bytes(), nil
	case format == "markdown":
		err := s.writeMarkdown(&b, shown, hidden)
		return b.Bytes(), err
	}
	err := s.writeText(&b, shown, hidden)
	return b.Bytes(), err
}

func (s sheet) writeText(w io.Writer, shown diag.Report, hidden int) error {
	if s.text != nil {
		if err := s.text(w); err != nil {
			return err
		}
	}
	var warnings []string
	if s.inspect != "" {
		shown, warnings = inShort(shown)
	}
	write := diag.Report.WriteText
	if s.changes != nil {
		write = func(r diag.Report, w io.Writer) error { return r.WriteGrouped(w, *s.changes) }
	}
	open, passed := apart(shown)
	if err := write(open, w); err != nil {
		return err
	}
	if len(passed.Findings) > 0 {
		if len(open.Findings) > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, "let pass:")
	}
	if err := write(passed, w); err != nil {
		return err
	}
	writeWarnings(w, warnings, s.inspect)
	if line := hiddenLine(hidden); line != "" {
		fmt.Fprintln(w, line)
	}
	if s.why != "" {
		fmt.Fprintf(w, "\n%s\n", s.why)
	}
	writeNext(w, s.next) // the entries come last, so that all behind their first line can be copied
	if text := s.remedy.text(s.most()); text != "" {
		fmt.Fprintf(w, "\n%s", text)
	}
	return nil
}

func (s sheet) writeMarkdown(w *bytes.Buffer, shown diag.Report, hidden int) error {
	behind := s.behind()
	if s.markdown != nil {
		if err := s.markdown(w); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "**%s**\n", cmp.Or(s.headline, shown.Line(isUnchecked)))
	if s.changes != nil {
		w.Write(shown.Page(s.page(utf8.RuneCount(w.Bytes()) + utf8.RuneCountInString(behind))))
	} else if err := shown.WriteTable(w); err != nil {
		return err
	}
	if line := hiddenLine(hidden); line != "" {
		fmt.Fprintf(w, "\n%s\n", diag.MarkdownText(line))
	}
	w.WriteString(behind)
	return nil
}

// behind is what stands behind the findings as Markdown: why they fail, what to do next, and the entries that would let them pass.
func (s sheet) behind() string {
	var b bytes.Buffer
	if s.why != "" {
		fmt.Fprintf(&b, "\n%s\n", diag.MarkdownText(s.why))
	}
	writeNextMarkdown(&b, s.next)
	s.remedy.writeMarkdown(&b, s.most())
	return b.String()
}

// page is how a page of Markdown is written with so many characters beside the findings.
func (s sheet) page(used int) diag.PageOptions {
	page := diag.PageOptions{All: allInJSON, Used: used}
	if s.changes != nil {
		page.Rules, page.Full = s.changes.Rules, s.changes.Full
	}
	return page
}

// most is how many entries of diff.accept are shown: the first ones, or all of them with --full.
func (s sheet) most() int {
	if s.changes != nil && s.changes.Full {
		return math.MaxInt
	}
	return howMany
}

// show prints the sheet, to the file of --out where the command has one.
func (sh *shell) show(c *cli.Context, s sheet, format string) error {
	data, err := s.render(c, format)
	if err = cmp.Or(err, sh.ctx.Err()); err != nil {
		return err
	}
	out := ""
	if c.Command.Name != "adopt" { // whose --out is a folder
		out = c.String("out")
	}
	return cmp.Or(sh.writeReports(c, s), sh.writeResult(out, sh.secret.hide(data)))
}

// leading is a text that stands before the findings.
func leading(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// reportBytes renders a report in one of the formats every reporting command has. No text of a server's in it steers a terminal or the runner of a CI
// job: PrintableJSON escapes what would, and the emitter of YAML does so by itself with control characters and with what hides or reorders the
// text around it; where a line of YAML would be a command to a runner, all texts are quoted.
func reportBytes(v any, format string) ([]byte, error) {
	data, err := canon.Encode(v)
	if err != nil {
		return nil, err
	}
	if format == "json" {
		return diag.PrintableJSON(data), nil
	}
	text, err := yaml.FromJSON(data)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		if diag.Commands(string(line)) {
			quoted, err := yaml.FromJSONQuoted(data)
			return diag.HarmlessQuoted(quoted), err
		}
	}
	return text, nil
}
