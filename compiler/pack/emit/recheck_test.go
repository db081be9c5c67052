package emit_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

// TestTrustedDocument edits air.yaml, every so many lines: what a call rests on is refused however little was changed, but for what an operation costs a model,
// which decides nothing and is counted by Recheck.
func TestTrustedDocument(t *testing.T) {
	b := build(t, facadeInputs(t))
	refuses := func(text string, check func(*pack.Pack) bool) bool {
		p := &pack.Pack{Manifest: b.Manifest, Files: maps.Clone(b.Files)}
		delete(p.Files, pack.ManifestFile)
		p.Files[pack.AIRFile] = []byte(text)
		return check(p)
	}
	trusted := func(p *pack.Pack) bool {
		d, findings, err := emit.TrustedDocument(p)
		return err != nil || len(findings) > 0 || len(d.Operations) != len(b.Document.Operations)
	}
	whole := string(b.Files[pack.AIRFile])
	if refuses(whole, trusted) {
		t.Fatal("the document is refused as it was built")
	}
	if !refuses(whole+"# a comment\n", trusted) || !refuses(strings.Replace(whole, "schemaVersion: 1", `"schemaVersion": 1`, 1), trusted) {
		t.Error("a document that is written otherwise is taken")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	for i := 0; i < len(lines); i += 37 {
		cost := strings.Contains(lines[i], "toolTokens: ") || strings.Contains(lines[i], "estimator: ")
		without := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
		line := []byte(strings.TrimSuffix(lines[i], "\n"))
		if last := len(line) - 1; line[last] == '1' {
			line[last] = '2'
		} else {
			line[last] = '1'
		}
		changed := strings.Join(lines[:i], "") + string(line) + "\n" + strings.Join(lines[i+1:], "")
		if !cost && !refuses(without, trusted) {
			t.Errorf("taken without line %d: %s", i+1, lines[i])
		}
		if !refuses(changed, trusted) && !cost {
			t.Errorf("taken with line %d as %s", i+1, line)
		}
	}
	i := strings.Index(whole, "toolTokens: ") + len("toolTokens: ")
	dearer := whole[:i] + "9" + whole[i:]
	if refuses(dearer, trusted) {
		t.Error("another token count is refused, though nothing about a call follows from it")
	}
	if !refuses(dearer, func(p *pack.Pack) bool { findings, err := emit.Recheck(p); return err != nil || len(findings) > 0 }) {
		t.Error("Recheck takes another token count")
	}
	if !bytes.Contains(b.Files[pack.AIRFile], []byte("toolTokens: ")) {
		t.Error("the document holds no token count")
	}
}
