package cli

import (
	"errors"
	"fmt"

	"anvil/learn"
	"anvil/learn/sqlstore"
)

// importAdaptive brings a file of adaptive-mcp's: calls, statements of people, and sums of tools without calls.
func (sh *shell) importAdaptive(s *sqlstore.Store, src *importSource, strict bool) (importedRow, error) {
	in := &importing{ctx: sh.ctx, store: s, row: importedRow{File: src.name, From: src.from, Why: []badRow{}}}
	if strict {
		for f, err := range sqlstore.ReadAdaptive(sh.ctx, src.path) {
			if err != nil {
				if err := in.rejectRow(err); err != nil {
					return in.row, opened(err, src.path)
				}
				continue
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
			if err := in.rejectRow(err); err != nil {
				failed := in.flush()
				return in.row, errors.Join(fmt.Errorf("%w; %s before it are kept", opened(err, src.path), counted(in.row.Kept, "call")), failed)
			}
			continue
		}
		if err := in.take(f, digester); err != nil {
			return in.row, err
		}
	}
	return in.row, in.flush()
}

func (in *importing) take(f sqlstore.Found, digester learn.Digester) error {
	if f.Annotation != nil {
		held, err := in.store.ImportAnnotation(in.ctx, f.Tool, *f.Annotation)
		if err != nil {
			return err
		}
		in.row.Statements++
		for _, what := range held {
			in.why(badRow{Problem: "of " + f.Tool.String() + " the " + what})
		}
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
	var future *learn.BadEventError // the clock is the store's, so that only it can tell
	if errors.As(err, &future) {
		in.row.Bad++
		in.why(badRow{Problem: err.Error()})
		return nil
	}
	return err
}

// rejectRow notes a row that cannot be read; any other error it returns.
func (in *importing) rejectRow(err error) error {
	var row *learn.CorruptError
	if !errors.As(err, &row) || !row.Foreign {
		return err
	}
	in.row.Bad++
	in.why(badRow{Problem: err.Error()})
	return nil
}
