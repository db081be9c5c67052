package view

import (
	"context"
	"fmt"
	"os"
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
		p.etag = etagOf(p.Path)
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

// etagOf is the etag of the view in a file, "" where there is none.
func etagOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	d, err := Decode(text)
	if err != nil {
		return ""
	}
	return d.Etag
}
