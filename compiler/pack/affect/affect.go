// Package affect tells what of a pack the differences between two surfaces touch: approvals that lapse, tools that the facade refuses from then on, and
// entries of what was generated that are others, or gone, once the pack is built again.
//
// It stands behind the diff and the pack: it lowers both surfaces as the build does, puts what people decided of the pack on both, and compares. It builds
// nothing, judges nothing, and changes no pack.
package affect

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit/metadata"
	"anvil/compiler/surface"
	"anvil/learn/profile"
)

// Reader knows what a pack holds of each operation.
type Reader struct {
	pack      *pack.Pack
	document  air.Document
	approvals []air.Approval
	learned   profile.Document
}

// Open reads a pack that was verified when it was opened.
func Open(p *pack.Pack) (*Reader, error) {
	d, err := p.Document()
	if err != nil {
		return nil, err
	}
	learned, err := p.Learned()
	if err != nil {
		return nil, err
	}
	return &Reader{pack: p, document: d, approvals: pack.Approvals(d), learned: learned}, nil
}

// Service is the id of the service that the pack was made of.
func (r *Reader) Service() string { return r.document.Service.ID }

// Upstream is the configured name of the server that the pack's facade asks; "" where it has none, or the pack is of another mode.
func (r *Reader) Upstream() string {
	s, err := r.pack.Settings()
	if err != nil {
		return ""
	}
	return s.Upstream.Server
}

// Fits reports whether the pack was made of the server that s is a surface of: the ids of its operations begin with the same service.
func (r *Reader) Fits(s *surface.McpSurfaceSnapshot) bool {
	return air.ServiceID(s.ServerName()) == r.Service()
}

// Mark returns the findings with what each touches of the pack. Those that the diff's rules found are of d, the difference of old and new; now is when
// approvals are held against their ends. A finding that touches nothing stays as it is, and so do those of other stages.
func (r *Reader) Mark(old, new *surface.McpSurfaceSnapshot, d diff.Delta, findings []diag.Finding, now time.Time) ([]diag.Finding, error) {
	m := &marker{Reader: r, old: old, new: new, findings: slices.Clone(findings), oldNames: map[string]string{}}
	for _, list := range d.Lists {
		if list.Kind == surface.Tool {
			for _, p := range list.Renamed {
				m.oldNames[p.New.Name] = p.Old.Name
			}
		}
	}
	m.before, _ = adopt.Learn(adopt.Bridge(old), r.learned).DecidedAs(r.document).WithApprovals(r.approvals, now)
	m.after, _ = adopt.Learn(adopt.Bridge(new), r.learned).DecidedAs(r.document).WithApprovals(r.approvals, now)
	var err error
	if m.entriesBefore, err = entries(m.before, r.learned); err != nil {
		return nil, err
	}
	if m.entriesAfter, err = entries(m.after, r.learned); err != nil {
		return nil, err
	}
	m.byTool = map[string][]int{}
	for i, f := range m.findings {
		if f.Tool != "" && ofDiff(f) {
			name := m.oldName(f.Tool)
			m.byTool[name] = append(m.byTool[name], i)
		}
	}
	for _, o := range r.document.Operations {
		m.operation(o)
	}
	return m.findings, nil
}

// entries are the entries of tools-metadata by the tool's name.
func entries(d air.Document, learned profile.Document) (map[string][]byte, error) {
	view, err := metadata.Build(d, learned)
	if err != nil {
		return nil, fmt.Errorf("tell what of tools-metadata is touched: %w", err)
	}
	byName := map[string][]byte{}
	for _, tool := range view.Tools {
		text, err := canon.EncodeCompact(tool)
		if err != nil {
			return nil, fmt.Errorf("tell what of tools-metadata is touched: %w", err)
		}
		byName[tool.Name] = append(byName[tool.Name], text...)
	}
	return byName, nil
}

// marker marks the findings of one difference.
type marker struct {
	*Reader
	old, new      *surface.McpSurfaceSnapshot
	before, after air.Document
	oldNames      map[string]string // of tools that have another name now, by that name
	findings      []diag.Finding
	byTool        map[string][]int // of findings, by the tool's old name

	entriesBefore, entriesAfter map[string][]byte // of tools-metadata
}

func (m *marker) oldName(name string) string {
	if was, renamed := m.oldNames[name]; renamed {
		return was
	}
	return name
}

// operation marks what is touched of one operation of the pack.
func (m *marker) operation(o air.Operation) {
	was, known := m.before.Find(o.ID)
	if !known {
		return // the pack is older than the difference: what it says of this operation was void before
	}
	is, stays := m.after.Find(o.ID)
	pair := m.pairOf(o)
	bound := was.Approval != nil
	lapses := bound && is.Approval == nil
	if lapses {
		m.mark(pair, ending(was, is), diag.Affected{Kind: "approval", Path: pack.AIRFile, Name: o.ID, Effect: diag.Lapses})
	}
	for _, a := range m.pack.Manifest.Artifacts {
		switch a.Kind {
		case pack.KindSnapshot, pack.KindAIR, pack.KindSignature, pack.KindDiff: // the pack's own records of the surface, which are others after any difference
		case pack.KindFacade:
			if bound {
				m.facade(pair, a.Path, was)
			}
		case pack.KindMetadata:
			m.entry(pair, a.Path, o.MCP.ToolName, m.entriesBefore[o.MCP.ToolName], m.entriesAfter[o.MCP.ToolName])
		default:
			if bound && m.follows(a) && mentions(m.pack.Files[a.Path], o) {
				m.generated(pair, a, was, is, stays && !lapses)
			}
		}
	}
}

// facade marks what becomes of an approved tool at the facade, which goes by the name, the contract and the text of what the server lists: another
// text is served where all that changed is safe.
func (m *marker) facade(p pair, path string, was air.Operation) {
	affected := diag.Affected{Kind: pack.KindFacade, Path: path, Name: was.MCP.ToolName, Effect: diag.Refused}
	var offered []surface.Item
	for _, it := range m.new.Tools() {
		if it.Name == was.MCP.ToolName {
			offered = append(offered, it)
		}
	}
	switch {
	case len(offered) != 1 || offered[0].ContractDigest() != was.ContractDigest:
		m.mark(p, byContract, affected)
	case offered[0].TextDigest() == was.TextDigest:
	case slices.ContainsFunc(p.findings, func(i int) bool { return unsafe(m.findings[i]) }):
		m.mark(p, func(p pair, f diag.Finding) bool { return unsafe(f) && byText(p, f) }, affected)
	default:
		affected.Effect = diag.Retold
		m.mark(p, byText, affected)
	}
}

// unsafe reports a finding for which the facade does not serve a tool with another text.
func unsafe(f diag.Finding) bool { return f.Class != diag.Safe || f.Security }

// entry marks an entry that is another one, or gone, when the pack is built again.
func (m *marker) entry(p pair, path, name string, before, after []byte) {
	affected := diag.Affected{Kind: pack.KindMetadata, Path: path, Name: name, Effect: diag.Changed}
	switch {
	case before == nil || bytes.Equal(before, after):
		return
	case after == nil:
		affected.Effect = diag.Removed
	}
	m.mark(p, byMeaning, affected)
}

// generated marks an entry of an artifact that is made of the approved operations, such as a command or a page of a skill.
func (m *marker) generated(p pair, a pack.Artifact, was, is air.Operation, exposed bool) {
	affected := diag.Affected{Kind: a.Kind, Path: a.Path, Name: was.ID, Effect: diag.Changed}
	if a.Kind == pack.KindCommandLine {
		affected.Name = was.CLI.Command
	}
	switch {
	case !exposed: // for what ends the approval
		affected.Effect = diag.Removed
		m.mark(p, ending(was, is), affected)
		return
	case was.ContractDigest == is.ContractDigest && was.TextDigest == is.TextDigest:
		return
	}
	m.mark(p, byMeaning, affected)
}
