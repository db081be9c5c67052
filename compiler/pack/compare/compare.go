package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/learn/view"
)

// Comparison is how two packs differ.
type Comparison struct {
	Old        Side              `json:"old"`
	New        Side              `json:"new"`
	Impact     Impact            `json:"impact"`    // of everything below
	Signature  Impact            `json:"signature"` // of what the operations take, answer and do
	Surface    Impact            `json:"surface"`   // of what else the server shows
	Operations []OperationChange `json:"operations"`
	Settings   []ValueChange     `json:"settings"` // of the facade
	Artifacts  []ArtifactChange  `json:"artifacts"`
	Behaviour  []view.Difference `json:"behaviour"` // of what was learned of the tools and is kept in the packs, beyond chance; no part of the impact

	Findings []diag.Finding `json:"-"` // of the semantic diff of the two surfaces
}

// Side is one of two packs.
type Side struct {
	Folder   string    `json:"folder"`
	ID       string    `json:"id"`
	Version  string    `json:"version"`
	Mode     pack.Mode `json:"mode"`
	Digest   string    `json:"digest"`
	Snapshot string    `json:"snapshot"`
	Base     string    `json:"base,omitzero"`
}

// OperationChange is an operation of which anything differs.
type OperationChange struct {
	ID       string          `json:"id"`
	Tool     string          `json:"tool"`
	Change   string          `json:"change"`            // added, removed, changed
	Impact   Impact          `json:"impact"`            // with that of what people decided
	Fields   []string        `json:"fields"`            // of the signature that differ: publicName, input, output, effect, contract, text
	Posture  []PostureChange `json:"posture,omitempty"` // of what holds without an approval, and under one where both have it
	State    *Turn           `json:"state,omitempty"`
	Approval string          `json:"approval,omitzero"` // given, withdrawn, renewed
	By       string          `json:"by,omitzero"`       // of the approval, the new one where there is one
	Block    string          `json:"block,omitzero"`    // given, lifted
	Members  []ValueChange   `json:"members,omitempty"` // of the operation in air.yaml, but for those of which the rest tells: notes, names, what a person stated
}

// PostureChange is a safety predicate with another value.
type PostureChange struct {
	Predicate string    `json:"predicate"`
	Before    canon.Raw `json:"before"`
	After     canon.Raw `json:"after"`
	Looser    bool      `json:"looser,omitzero"` // it guards less than it did
}

// Turn is a word with two values.
type Turn struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// ValueChange is a value that differs; a side without it is absent.
type ValueChange struct {
	Pointer string    `json:"pointer"` // RFC 6901, within facade.yaml or the operation
	Before  canon.Raw `json:"before,omitzero"`
	After   canon.Raw `json:"after,omitzero"`
}

// ArtifactChange is a file that differs.
type ArtifactChange struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Change string `json:"change"` // added, removed, changed
}

// Packs compares two packs that were opened. The error is that of a pack whose own files cannot be read.
func Packs(old, new *pack.Pack) (Comparison, error) {
	c := Comparison{
		Old: side(old), New: side(new), Impact: Compatible, Signature: Compatible, Surface: Compatible,
		Operations: []OperationChange{}, Settings: []ValueChange{}, Artifacts: artifacts(old.Manifest, new.Manifest),
		Behaviour: []view.Difference{},
	}
	before, err := read(old)
	if err != nil {
		return c, err
	}
	after, err := read(new)
	if err != nil {
		return c, err
	}
	c.Findings = diff.Judge(diff.Compare(before.snapshot, after.snapshot, diff.Options{}))
	c.operations(before, after)
	c.Surface = classify(change{Findings: slices.DeleteFunc(slices.Clone(c.Findings), func(f diag.Finding) bool { return f.Tool != "" })})
	c.Impact = worse(c.Impact, worse(c.Signature, c.Surface))
	if c.Settings, err = settings(old, new); err != nil {
		return c, err
	}
	if len(c.Settings) > 0 || c.Old.Mode != c.New.Mode {
		c.Impact = Sensitive // another server may answer, or nothing may guard it
	}
	behaviour, err := behaviour(old, new)
	c.Behaviour = append(c.Behaviour, behaviour...)
	return c, err
}

// behaviour tells how tools behave otherwise by what each pack was built with; nothing of a tool that only one of them knows.
func behaviour(packs ...*pack.Pack) ([]view.Difference, error) {
	var views []view.Document
	for _, p := range packs {
		learned, err := p.Learned()
		if err != nil {
			return nil, err
		}
		published, err := view.Build(learned, time.Time{})
		if err != nil {
			return nil, fmt.Errorf("view what pack %s was built with: %w", p.Dir, err)
		}
		views = append(views, published)
	}
	return view.Compare(views[0], views[1]), nil
}

func side(p *pack.Pack) Side {
	m := p.Manifest
	return Side{p.Dir, m.ID, m.Version, m.Mode, m.Digest, m.Snapshot, m.Base}
}

// IsSame reports packs with one digest.
func (c Comparison) IsSame() bool { return c.Old.Digest == c.New.Digest }

// operations compares the operations of both sides by id.
func (c *Comparison) operations(before, after content) {
	ids := map[string]bool{}
	for _, side := range []content{before, after} {
		for _, o := range side.document.Operations {
			ids[o.ID] = true
		}
		for _, b := range side.document.Blocks {
			ids[b.Operation] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		o, signature := operationChange(id, before, after, c.Findings)
		if o.Change == "" {
			continue
		}
		c.Operations = append(c.Operations, o)
		if len(o.Fields)+len(o.Posture) > 0 || o.Change != "changed" {
			c.Signature = worse(c.Signature, signature)
		}
		c.Impact = worse(c.Impact, o.Impact)
	}
}

// content is what a pack holds of its operations.
type content struct {
	snapshot  snapshot
	document  air.Document
	bare      air.Document // with no approval in force
	signature map[string]air.OperationSignature
}

func read(p *pack.Pack) (content, error) {
	c := content{signature: map[string]air.OperationSignature{}}
	var err error
	if c.snapshot, err = p.Snapshot(); err != nil {
		return c, err
	}
	if c.document, err = p.Document(); err != nil {
		return c, err
	}
	c.bare, _ = c.document.WithApprovals(nil, time.Time{})
	for _, o := range c.document.Signature().Operations {
		c.signature[o.ID] = o
	}
	return c, nil
}

func artifacts(old, new pack.Manifest) []ArtifactChange {
	changes := []ArtifactChange{}
	had := map[string]pack.Artifact{}
	for _, a := range old.Artifacts {
		had[a.Path] = a
	}
	for _, a := range new.Artifacts {
		was, there := had[a.Path]
		delete(had, a.Path)
		if !there {
			changes = append(changes, ArtifactChange{a.Path, a.Kind, "added"})
		} else if was.Digest != a.Digest {
			changes = append(changes, ArtifactChange{a.Path, a.Kind, "changed"})
		}
	}
	for _, a := range had {
		changes = append(changes, ArtifactChange{a.Path, a.Kind, "removed"})
	}
	slices.SortFunc(changes, func(a, b ArtifactChange) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// settings compares facade.yaml leaf by leaf; a pack of another mode has none.
func settings(old, new *pack.Pack) ([]ValueChange, error) {
	before, err := leaves(old)
	if err != nil {
		return nil, err
	}
	after, err := leaves(new)
	if err != nil {
		return nil, err
	}
	return valueChanges(before, after), nil
}

// valueChanges are the leaves that differ, in order.
func valueChanges(before, after map[string]canon.Raw) []ValueChange {
	changes := []ValueChange{}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, pointer := range slices.Sorted(maps.Keys(all)) {
		if !slices.Equal(before[pointer], after[pointer]) {
			changes = append(changes, ValueChange{pointer, before[pointer], after[pointer]})
		}
	}
	return changes
}

func leaves(p *pack.Pack) (map[string]canon.Raw, error) {
	found := map[string]canon.Raw{}
	if _, there := p.Files[pack.FacadeFile]; !there {
		return found, nil
	}
	s, err := p.Settings()
	if err != nil {
		return nil, err
	}
	text, err := canon.EncodeCompact(s)
	if err != nil {
		return nil, fmt.Errorf("read %s of pack %s: %w", pack.FacadeFile, p.Dir, err)
	}
	n, err := canon.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read %s of pack %s: %w", pack.FacadeFile, p.Dir, err)
	}
	collect(n, "", found)
	return found, nil
}

func collect(n *canon.Node, pointer string, found map[string]canon.Raw) {
	if len(n.Members) == 0 {
		found[pointer] = n.Canonical()
		return
	}
	for _, m := range n.Members {
		collect(m.Value, pointer+canon.Pointer(m.Name), found)
	}
}
