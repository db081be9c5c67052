package cli

import (
	"encoding/base64"
	"fmt"
	"strings"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// printCallResult prints what the tool returned, and exits 6 when it reports an error. As JSON it is the server's own result, value for value;
// what would give a command to the runner of a CI job is escaped in it, and on a terminal what would steer that.
func (sh *shell) printCallResult(tool string, result []byte, format string) error {
	node, err := canon.Parse(result)
	if err != nil || !node.IsObject() {
		return &exitError{exitUnreachable, fmt.Errorf("tool %q: the server answered with something that is no result: the protocol has an object there", tool)}
	}
	if format == "json" {
		text := diag.HarmlessQuoted(indented(node))
		if isTerminal(sh.out.w) {
			text = diag.PrintableJSON(text)
		}
		fmt.Fprintf(sh.out, "%s\n", text)
	} else {
		sh.printContent(node)
	}
	if gate.ReportsError(node) {
		return &exitError{exitTool, fmt.Errorf("tool %q reports an error", tool)}
	}
	return nil
}

// indented lays a server's JSON out for reading; every member and digit stays as it was sent.
func indented(n *canon.Node) []byte {
	text, err := canon.EncodeCompact(canon.Raw(n.Raw))
	if err != nil {
		return n.Raw
	}
	return canon.Indent(text, "")
}

// printContent prints the blocks of a result, and its structured content unless a text block was the same.
func (sh *shell) printContent(result *canon.Node) {
	structured := result.Get("structuredContent")
	for _, block := range result.Get("content").Elements() {
		switch kind := block.Get("type").Text(); kind {
		case "text":
			if text := block.Get("text").Text(); structured == nil || !canon.Equal([]byte(text), structured.Raw) {
				sh.printText(text)
			}
		case "image", "audio":
			size := base64.StdEncoding.DecodedLen(len(block.Get("data").Text()))
			fmt.Fprintf(sh.out, "(%s, %s, about %d bytes; see it with --format json)\n", kind, diag.Printable(block.Get("mimeType").Text()), size)
		case "resource", "resource_link":
			uri := block.Get("uri").Text() + block.Get("resource").Get("uri").Text()
			fmt.Fprintf(sh.out, "(%s %s)\n", kind, diag.Printable(uri))
			if text, ok := block.Get("resource").Get("text").Str(); ok {
				sh.printText(text)
			}
		default:
			fmt.Fprintf(sh.out, "(%s; see it with --format json)\n", diag.Printable(kind))
		}
	}
	if structured != nil {
		sh.printText(string(indented(structured)))
	}
}

// printText prints a server's text, ending in one line break.
func (sh *shell) printText(text string) {
	fmt.Fprintln(sh.out, printableLines(strings.TrimSuffix(text, "\n")))
}
