package view

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"anvil/internal/atomicfile"
)

// Publisher writes a view to a file, at most as often as it is told to, and only when what it says has changed. It is safe for concurrent use.
type Publisher struct {
	Path  string        // .json, or YAML for any other name
	Every time.Duration // the least time between two looks at what was learned
	Make  func(context.Context) (Document, error)

	mu   sync.Mutex
	last time.Time
	etag string
}

// Publish makes and writes the view unless it did so a moment ago. wrote tells whether the file is another than before.
func (p *Publisher) Publish(ctx context.Context, now time.Time) (wrote bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since := now.Sub(p.last); !p.last.IsZero() && since >= 0 && since < p.Every {
		return false, nil
	}
	d, err := p.Make(ctx)
	if err != nil {
		return false, err
	}
	p.last = now
	if p.etag == "" {
		if p.etag, err = published(p.Path); err != nil {
			return false, err
		}
	}
	if d.Etag == p.etag {
		return false, nil
	}
	text, err := d.Text(p.Path)
	if err != nil {
		return false, err
	}
	if err := atomicfile.Write(p.Path, text, 0o644); err != nil {
		return false, fmt.Errorf("write the view: %w", err)
	}
	p.etag = d.Etag
	return true, nil
}

// ErrNoView is a file that something else is in than a view: it is not replaced.
var ErrNoView = errors.New("it is no view that anvil wrote, so it is left as it is; name another file")

// mostBytes bounds a view that is read.
const mostBytes = 64 << 20

// published is the etag of the view in a file: "" where there is none yet, and of one that was changed since it was written.
func published(path string) (string, error) {
	text, err := atomicfile.ReadFile(path, mostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(text) == 0:
		return "", nil
	case err != nil:
		return "", fmt.Errorf("write the view: %w", err)
	}
	d, err := Decode(text)
	if err != nil || d.Etag == "" {
		return "", fmt.Errorf("write the view to %s: %w", path, ErrNoView)
	}
	if !d.Intact() {
		return "", nil
	}
	return d.Etag, nil
}

// Intact reports a document whose etag is that of what it says.
func (d Document) Intact() bool {
	d.Tools = slices.Clone(d.Tools)
	sealed, err := d.Sealed()
	return err == nil && sealed.Etag == d.Etag
}
