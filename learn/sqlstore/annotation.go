package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"anvil/compiler/canon"
	"anvil/learn"
)

var annotationValues = columns("risk:t owner:t tags:t description:t budget:i currency:t")

// annotationRow is an annotation as its table has it: tags are a JSON list or "", a budget without a currency is none.
type annotationRow struct {
	a        learn.Annotation
	tags     string
	budget   int64
	currency string
}

func (r *annotationRow) into() []any {
	return []any{&r.a.Risk, &r.a.Owner, &r.tags, &r.a.Description, &r.budget, &r.currency}
}

func (r *annotationRow) annotation(of learn.Tool) (learn.Annotation, error) {
	if r.currency != "" {
		r.a.Budget = &learn.Money{Micros: r.budget, Currency: r.currency}
	}
	if _, err := (learn.Annotation{Risk: r.a.Risk, Budget: r.a.Budget}).Checked(); err != nil {
		return learn.Annotation{}, &learn.CorruptError{Table: "annotation", Row: of.String(), Err: err}
	}
	if r.tags == "" {
		return r.a, nil
	}
	list, err := canon.Parse([]byte(r.tags))
	if err == nil && !list.IsArray() {
		err = errors.New("its tags are no list")
	}
	if err != nil {
		return learn.Annotation{}, &learn.CorruptError{Table: "annotation", Row: of.String(), Err: err}
	}
	for _, tag := range list.Elements() {
		r.a.Tags = append(r.a.Tags, tag.Text())
	}
	return r.a, nil
}

func rowOf(a learn.Annotation) []any {
	var tags [][]byte
	for _, tag := range a.Tags {
		tags = append(tags, canon.Quote(learn.Storable(tag)))
	}
	list := ""
	if len(tags) > 0 {
		list = string(canon.List(tags...))
	}
	budget := learn.Money{}
	if a.Budget != nil {
		budget = *a.Budget
	}
	return []any{learn.Storable(a.Risk), learn.Storable(a.Owner), list, learn.Storable(a.Description), budget.Micros, learn.Storable(budget.Currency)}
}

// Annotate merges what people state of a tool; a server of "" is the unattributed tool.
func (s *Store) Annotate(ctx context.Context, server, name string, a learn.Annotation) error {
	return s.annotate(ctx, learn.Tool{Server: server, Name: name}, a, func(have, a learn.Annotation) learn.Annotation { return have.Merged(a) })
}

// ImportAnnotation joins what is stated of a tool elsewhere to what is stated of it here: what is here holds, and the risk is the higher of both. held says what
// of it does not count for that.
func (s *Store) ImportAnnotation(ctx context.Context, tool learn.Tool, a learn.Annotation) (held []string, err error) {
	err = s.annotate(ctx, tool, a, func(have, a learn.Annotation) (joined learn.Annotation) {
		joined, held = have.Joined(a)
		return joined
	})
	return held, err
}

func (s *Store) annotate(ctx context.Context, tool learn.Tool, a learn.Annotation, merge func(have, a learn.Annotation) learn.Annotation) error {
	tool = learn.Tool{Server: tool.Server, Name: tool.Name}.Checked()
	if tool.Name == "" {
		return fmt.Errorf("annotate: %w: it has no name", learn.ErrUnknownTool)
	}
	a, err := a.Checked()
	if err != nil {
		return fmt.Errorf("annotate %s: %w", tool, err)
	}
	return s.write(ctx, func(t *tx) error {
		all, err := t.named(tool.Name)
		if err != nil {
			return err
		}
		known := false
		for _, row := range all {
			known = known || row.tool.Server == tool.Server
		}
		if !known {
			if _, err := t.insertPlaceholder(tool); err != nil {
				return err
			}
		}
		have, _, err := t.annotation(tool)
		if err != nil {
			return err
		}
		return t.annotate(tool, merge(have, a))
	})
}

// insertPlaceholder makes a tool that nobody observed yet. Caches that know others of the name do not know that it waits to be inherited.
func (t *tx) insertPlaceholder(tool learn.Tool) (int64, error) {
	id, err := t.next("tool")
	if err != nil {
		return 0, err
	}
	if err := t.outdate(); err != nil {
		return 0, err
	}
	return id, t.exec(`INSERT INTO tool (`+toolFields+`) VALUES (?, ?, ?, '', 0)`, id, tool.Server, tool.Name)
}

func (t *tx) annotation(tool learn.Tool) (learn.Annotation, bool, error) {
	row := annotationRow{}
	rows, err := t.QueryContext(t.ctx, t.s.db.Bound(`SELECT `+names(annotationValues)+` FROM annotation WHERE server = ? AND name = ?`), tool.Server, tool.Name)
	if err != nil {
		return row.a, false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return row.a, false, rows.Err()
	}
	if err := rows.Scan(row.into()...); err != nil {
		return row.a, false, &learn.CorruptError{Table: "annotation", Row: tool.String(), Err: err}
	}
	a, err := row.annotation(tool)
	return a, true, err
}

func (t *tx) annotate(tool learn.Tool, a learn.Annotation) error {
	if err := t.exec(`DELETE FROM annotation WHERE server = ? AND name = ?`, tool.Server, tool.Name); err != nil {
		return err
	}
	return t.exec(`INSERT INTO annotation (server, name, `+names(annotationValues)+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, append([]any{tool.Server, tool.Name}, rowOf(a)...)...)
}

// moveAnnotation gives what is stated of a name without a server to a server's tool; what is stated of that one stays, and the risk is the higher.
func (t *tx) moveAnnotation(name, server string) error {
	from, to := learn.Tool{Name: name}, learn.Tool{Server: server, Name: name}
	theirs, stated, err := t.annotation(from)
	if err != nil || !stated {
		return err
	}
	own, _, err := t.annotation(to)
	if err != nil {
		return err
	}
	if err := t.exec(`DELETE FROM annotation WHERE server = '' AND name = ?`, name); err != nil {
		return err
	}
	joined, _ := own.Joined(theirs)
	return t.annotate(to, joined)
}
