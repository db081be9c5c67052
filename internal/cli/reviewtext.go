package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// writeText writes the screen of one operation. Nothing of a server's stands in it but as [diag.Printable] shows it.
func (r reviewedOperation) writeText(w io.Writer, findings []diag.Finding) {
	fmt.Fprintf(w, "%s\n", diag.Printable(r.Operation))
	r.writeHead(w)
	r.writeEvidence(w)
	r.writeArguments(w)
	if r.Output != nil {
		fmt.Fprintf(w, "\noutput    %s\n", diag.Printable(string(r.Output)))
	} else {
		fmt.Fprint(w, "\noutput    the tool declares none\n")
	}
	r.writeTexts(w)
	if len(findings) > 0 {
		fmt.Fprintln(w, "\nfindings")
		writeIndented(w, func(w io.Writer) error { return diag.NewReport("review", findings).WriteText(w) })
	}
	if r.Lapsed != nil {
		fmt.Fprintf(w, "\nchanged since it was approved %s\n", approvalWords(*r.Lapsed))
		writeIndented(w, func(w io.Writer) error { return diag.NewReport("diff", r.Changes).WriteText(w) })
		if len(r.Changes) == 0 {
			fmt.Fprintln(w, "  nothing of the tool itself: it is as it was then")
		}
	}
}

// writeServer writes what is other about the server itself; nothing when nothing is.
func (r reviewReport) writeServer(w io.Writer) {
	if len(r.Server) == 0 {
		return
	}
	fmt.Fprintln(w, "the server itself has changed since the surface that the pack was compared with")
	writeIndented(w, func(w io.Writer) error { return diag.NewReport("diff", r.Server).WriteText(w) })
	if r.instructions != "" {
		fmt.Fprintln(w, "  its instructions as a model reads them")
		writeQuoted(w, r.instructions)
	}
	fmt.Fprintln(w)
}

func (r reviewedOperation) writeHead(w io.Writer) {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-8s  %s\n", label, text)
		}
	}
	line("tool", diag.Printable(r.Tool))
	line("state", string(r.State))
	line("effect", fmt.Sprintf("%s (%s), %s risk, %s", r.Effect.Kind, strings.TrimSpace(string(r.Effect.Action)+" "+diag.Printable(r.Effect.Resource)), r.Effect.Risk, r.Effect.Undo()))
	line("calls", fmt.Sprintf("%s; idempotency %s; retries %s", r.Posture.asks(), r.Posture.Idempotency, r.Posture.Retries))
	if r.Owner != nil {
		line("owner", diag.Printable(r.Owner.ID)+" ("+string(r.Owner.Kind)+")")
	}
	line("tags", diag.Printable(strings.Join(r.Tags, ", ")))
	line("alias", diag.Printable(strings.Join(r.Aliases, ", ")))
	if r.Approval != nil {
		line("approved", approvalWords(*r.Approval))
	}
	if r.Block != nil {
		line("blocked", blockWords(*r.Block))
	}
	if q := r.QueryPolicy; q != nil {
		line("programs", diag.Printable(q.Words()))
	}
	for _, note := range r.Notes {
		line("note", diag.Printable(note))
	}
	line("seen", r.Seen)
}

// asks says what a call waits for.
func (p posture) asks() string {
	switch {
	case !p.Confirmation:
		return "nobody is asked"
	case p.Person:
		return "a person is asked, at the command line and by the facade: " + p.Why
	}
	return "a yes is asked for, at the command line and by the facade: " + p.Why
}

func (r reviewedOperation) writeEvidence(w io.Writer) {
	fmt.Fprintln(w, "\nevidence (source, method, how sure, where)")
	t := diag.NewTable(w)
	for _, p := range r.Evidence {
		weighed := fmt.Sprintf("%s, support %.2f", p.Status, p.Support)
		if !canon.Equal(p.Leading, p.Value) {
			weighed += " of " + bareValue(p.Leading)
		}
		if p.RunnerUp > 0 {
			weighed += fmt.Sprintf(", next %.2f", p.RunnerUp)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", p.Predicate, bareValue(p.Value), weighed)
		for _, c := range p.Claims {
			mark := ""
			if !c.Active() {
				mark = " (" + string(c.Review) + ")"
			}
			fmt.Fprintf(t, "    %s\t%s\t%s, %.2f\t%s%s\n", bareValue(c.Value), c.Source, diag.Printable(c.Method), c.Confidence, diag.Printable(c.SourceRef), mark)
		}
	}
	_ = t.Flush()
}

func bareValue(value canon.Raw) string {
	if n, err := canon.Parse(value); err == nil && n.Is(canon.String) {
		return diag.Printable(n.Text())
	}
	return diag.Printable(orDash(string(value)))
}

// writeTexts writes every string that a model may read, line by line, whatever hides in it shown as an escape.
func (r reviewedOperation) writeTexts(w io.Writer) {
	if r.Description != "" {
		fmt.Fprintln(w, "\ndescription of yours, for the command line, the skill and tools-metadata; the facade hands on the server's own")
		writeQuoted(w, r.Description)
	}
	fmt.Fprintln(w, "\ntext as a model reads it")
	for _, text := range r.Texts {
		fmt.Fprintf(w, "  %s\n", diag.Printable(text.Pointer))
		writeQuoted(w, text.Text)
	}
	if len(r.Texts) == 0 {
		fmt.Fprintln(w, "  none but its name")
	}
}

func writeQuoted(w io.Writer, text string) {
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(w, "    | %s\n", diag.Printable(line))
	}
}

// writeIndented indents what write writes.
func writeIndented(w io.Writer, write func(io.Writer) error) {
	var b bytes.Buffer
	_ = write(&b)
	for line := range strings.Lines(b.String()) {
		fmt.Fprint(w, "  ", line)
	}
}

// writeMarkdown writes the screen as a chapter: a heading, and the text as code, which nothing in it can leave.
func (r reviewedOperation) writeMarkdown(w io.Writer, findings []diag.Finding) {
	var b bytes.Buffer
	r.writeText(&b, findings)
	writeChapter(w, r.Tool, &b)
}

// writeChapter writes a heading and a text as code; nothing for no text.
func writeChapter(w io.Writer, heading string, text *bytes.Buffer) {
	if text.Len() == 0 {
		return
	}
	fmt.Fprintf(w, "## %s\n\n", diag.MarkdownText(heading))
	for line := range strings.Lines(text.String()) {
		fmt.Fprint(w, "    ", line)
	}
}
