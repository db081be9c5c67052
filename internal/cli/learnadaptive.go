package cli

import (
	"errors"

	"anvil/learn"
	"anvil/learn/sqlstore"
)

// importAdaptive brings a file of adaptive-mcp's: calls, statements of people, and sums of tools without calls.
func (sh *shell) importAdaptive(s *sqlstore.Store, src *importSource, strict bool) (importedRow, error) {
	in := &importing{ctx: sh.ctx, store: s, row: importedRow{File: src.name, From: src.from, Why: []badRow{}}}
	if strict {
		for f, err := range sqlstore.ReadAdaptive(sh.ctx, src.path) {
			if err != nil {
				return in.row, opened(err, src.path)
			}
			if o := f.Observation; o != nil {
				if _, err := o.Checked(sh.now()); err != nil {
					in.row.Bad++
					in.why(badRow{Problem: err.Error()})
				}
			}
		}
		if in.row.Bad > 0 {
			return in.row, nil
		}
	}
	digester := learn.Digester{Key: s.Key()}
	for f, err := range sqlstore.ReadAdaptive(sh.ctx, src.path) {
		if err != nil {
			return in.row, errors.Join(opened(err, src.path), in.flush())
		}
		if err := in.take(f, digester); err != nil {
			return in.row, err
		}
	}
	return in.row, in.flush()
}

func (in *importing) take(f sqlstore.Found, digester learn.Digester) error {
	if f.Annotation != nil {
		if err := in.store.Annotate(in.ctx, f.Tool.Server, f.Tool.Name, *f.Annotation); err != nil {
			return err
		}
		in.row.Statements++
	}
	if o := f.Observation; o != nil {
		e := o.Event
		if o.Arguments != nil {
			e.Input = digester.Payload(o.Arguments)
		}
		if o.Result != nil {
			e.Output = digester.Payload(o.Result)
		}
		if err := in.add(e); err != nil {
			return err
		}
	}
	if len(f.Cells) == 0 {
		return nil
	}
	taken, err := in.store.Import(in.ctx, f.Source, f.Tool, f.Cells)
	if taken {
		in.row.Sums++
	}
	return err
}
