package pack

import (
	"fmt"
	"io/fs"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/learn/profile"
)

// Snapshot returns the snapshot the pack was made from, verified.
func (p *Pack) Snapshot() (*surface.McpSurfaceSnapshot, error) {
	s, err := surface.Decode(p.Files[SnapshotFile])
	if err != nil {
		return nil, fmt.Errorf("read %s of pack %s: %w", SnapshotFile, p.Dir, err)
	}
	return s, nil
}

// Document returns the pack's AIR document.
func (p *Pack) Document() (air.Document, error) {
	text, err := yaml.JSON(p.Files[AIRFile])
	if err != nil {
		return air.Document{}, fmt.Errorf("read %s of pack %s: %w", AIRFile, p.Dir, err)
	}
	d, err := air.Decode(text)
	if err != nil {
		return air.Document{}, fmt.Errorf("read %s of pack %s: %w", AIRFile, p.Dir, err)
	}
	return d, nil
}

// Learned returns the profiles of the pack's tools that it was built with; none where it was built without.
func (p *Pack) Learned() (profile.Document, error) {
	data, ok := p.Files[LearnedFile]
	if !ok {
		return profile.Document{}, nil
	}
	d, err := profile.Decode(data)
	if err != nil {
		return d, fmt.Errorf("read %s of pack %s: %w", LearnedFile, p.Dir, err)
	}
	return d, nil
}

// Settings returns how the pack's facade runs. A pack of another mode has none; the error says how to get one.
func (p *Pack) Settings() (FacadeSettings, error) {
	data, ok := p.Files[FacadeFile]
	if !ok {
		return FacadeSettings{}, fmt.Errorf("pack %s was built with --mode %s and names no upstream; build it with `anvil mcp adopt TARGET --mode facade --out %s`",
			p.Dir, p.Manifest.Mode, p.Dir)
	}
	return DecodeFacadeSettings(data)
}

// Approvals returns the approvals recorded in a document.
func Approvals(d air.Document) []air.Approval {
	var approvals []air.Approval
	for _, o := range d.Operations {
		if o.Approval != nil {
			approvals = append(approvals, *o.Approval)
		}
	}
	return approvals
}

// Changes returns the report of the differences to the base that the files of a pack hold. The error matches [fs.ErrNotExist] when they hold none.
func Changes(files map[string][]byte) (r diag.Report, err error) {
	data, ok := files[ChangesJSON]
	if !ok {
		return r, fmt.Errorf("read %s: %w", ChangesJSON, fs.ErrNotExist)
	}
	text, err := canon.Canonical(data) // as the findings' own values are
	if err == nil {
		err = canon.Decode(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read %s: %w", ChangesJSON, err)
	}
	return r, nil
}
