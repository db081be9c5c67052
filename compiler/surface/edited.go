package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// EditedError refuses a file whose digests are not those of its content: somebody changed it by hand, or merged two of them. It matches
// [ErrDigest].
type EditedError struct {
	Differs []string            // the members of the file that do not fit, sorted: "digest", "digests.text", "digests.tools.search"
	Content *McpSurfaceSnapshot // what the file holds, under the digests that this gives; nobody vouches for it
}

// mostDiffers bounds how many members a refusal names.
const mostDiffers = 8

func (e *EditedError) Error() string {
	names := e.Differs[:min(mostDiffers, len(e.Differs))]
	more := ""
	if n := len(e.Differs) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s: the file was edited; its content gives other values for %s%s", ErrDigest, strings.Join(names, ", "), more)
}

func (e *EditedError) Unwrap() error { return ErrDigest }

// Rebless writes the edited content of the named file under the digests that it gives, for a person who reviewed what it changes of old, which
// is what was trusted last. edited is how [Store.Load] refused the file; when it holds something else by now, nothing is written and the error
// matches [ErrChanged].
func (s Store) Rebless(ctx context.Context, name string, edited *EditedError, old *McpSurfaceSnapshot) (*McpSurfaceSnapshot, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	next := edited.Reblessed(old)
	data, err := next.Encode()
	if err == nil {
		err = s.swap(ctx, name, data, func() error { return s.stillEdited(name, edited) })
	}
	if err != nil {
		return nil, fmt.Errorf("write snapshot %s: %w", name, err)
	}
	return next, nil
}

// Reblessed is the snapshot that the edited content becomes: with the tombstones that follow from old, and those of the file, which no digest
// covers.
func (e *EditedError) Reblessed(old *McpSurfaceSnapshot) *McpSurfaceSnapshot {
	history := *old
	history.Tombstones = slices.Concat(e.Content.Tombstones, old.Tombstones)
	return e.Content.WithHistory(&history)
}

func (s Store) stillEdited(name string, edited *EditedError) error {
	_, err := s.Load(name)
	var now *EditedError
	switch {
	case errors.Is(err, ErrNotFound):
		return changed("it was removed")
	case err == nil:
		return changed("its digests fit now")
	case !errors.As(err, &now):
		return err
	}
	was, err := edited.Content.Encode()
	if err != nil {
		return err
	}
	is, err := now.Content.Encode()
	if err == nil && !bytes.Equal(was, is) {
		return changed("it was edited again")
	}
	return err
}

// explain says what happened to bytes that are no JSON, as far as they show it.
func explain(data []byte, err error) error {
	for _, mark := range []struct{ bytes, means string }{
		{"\xEF\xBB\xBF", "it starts with a byte order mark, as some editors and shells write it; a snapshot is UTF-8 without one"},
		{"\xFF\xFE", "it is UTF-16, as some editors and shells write it; a snapshot is UTF-8"},
		{"\xFE\xFF", "it is UTF-16, as some editors and shells write it; a snapshot is UTF-8"},
	} {
		if bytes.HasPrefix(data, []byte(mark.bytes)) {
			return fmt.Errorf("%w: %s", canon.ErrSyntax, mark.means)
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%w: the file is empty", canon.ErrSyntax)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return conflict(n)
		}
	}
	return err
}

// conflict is the line of a merge that nobody resolved.
type conflict int

func (c conflict) Error() string {
	return fmt.Sprintf("line %d is the mark of a merge conflict; take the file of one side whole (git checkout --ours or --theirs), look with `anvil mcp check`, "+
		"and accept with `anvil mcp check --update`", int(c))
}

// versionError is about the version a file states, and says what to do.
type versionError string

func (e versionError) Error() string { return string(e) }

// twice returns a member of n that is given twice, or of an object below it, "" for none: readers of JSON differ in which of the two they take.
func twice(n *canon.Node) string {
	for _, f := range n.Flaws() {
		if f.Kind == canon.DuplicateName {
			return f.Pointer
		}
	}
	return ""
}
