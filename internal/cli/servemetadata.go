package cli

import (
	"context"
	"slices"
	"sync"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit/metadata"
	"anvil/facade"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/view"
)

// publishing is what a served pack says of its tools: what was certified of them, and what was learned since, where --learn has a store.
type publishing struct {
	store learn.Store // nil without
	now   func() time.Time
	log   func(string)

	mu       sync.Mutex
	document air.Document
	learned  profile.Document // as the pack has it
	made     *view.Document   // nil: it has to be made anew
	at       time.Time        // when it was made
}

// fresh is how long a view is good for although others may have written to the store.
const fresh = time.Second

// newPublishing publishes a pack, whose document is trusted; r is nil where nothing is recorded.
func newPublishing(p *pack.Pack, document air.Document, r *recording, now func() time.Time, log func(string)) (*publishing, error) {
	learned, err := p.Learned()
	if err != nil {
		return nil, err
	}
	m := &publishing{now: now, log: log, document: document, learned: learned}
	if r != nil {
		m.store = r.store
	}
	return m, nil
}

// resources are the MCP resources that the facade answers for.
func (m *publishing) resources() facade.Resources {
	return view.Resources{Store: m.store, Make: m.make}
}

// make returns the view of every tool of the pack, whoever asks.
func (m *publishing) make(ctx context.Context) (view.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if age := m.now().Sub(m.at); m.made != nil && (m.store == nil || age >= 0 && age < fresh) {
		return *m.made, nil
	}
	at, learned := m.now(), m.learned
	if m.store != nil {
		live, err := profile.Build(ctx, m.store, learn.Filter{Server: m.document.Service.ID}, at)
		if err != nil {
			return view.Document{}, err
		}
		learned = over(live, learned)
	}
	d, err := metadata.Build(m.document, learned)
	if err != nil {
		return view.Document{}, err
	}
	if m.store != nil { // of the moment of the latest evidence, so that the text moves with evidence alone
		for _, t := range d.Tools {
			d.GeneratedAt = max(d.GeneratedAt, t.UpdatedAt)
		}
	}
	m.made, m.at = &d, at
	return d, nil
}

// over is what a store knows, and of tools that it knows nothing of what the pack has.
func over(live, kept profile.Document) profile.Document {
	for _, p := range kept.Tools {
		if !slices.ContainsFunc(live.Tools, func(l profile.Profile) bool {
			return l.Name == p.Name && l.Server == p.Server && l.Contract == p.Contract
		}) {
			live.Tools = append(live.Tools, p)
		}
	}
	return live
}

// forget has the view made anew when it is asked for next.
func (m *publishing) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made = nil
}

// tookOver publishes another state of the pack. What cannot be read of it changes nothing, and is told.
func (m *publishing) tookOver(p *pack.Pack) {
	document, err := p.Document()
	var learned profile.Document
	if err == nil {
		learned, err = p.Learned()
	}
	if err != nil {
		m.log("what is published of the tools is still what it was before: " + err.Error())
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.document, m.learned, m.made = document, learned, nil
}

// reporter takes what clients report, where the pack says so and there is a store to keep it; nil where not.
func reporter(serving pack.Serving, document air.Document, r *recording, log func(string)) facade.Reporter {
	switch {
	case !serving.TakesReports():
		return nil
	case r == nil:
		log("clients are to report what they observe (facade.yaml, reports), and nothing keeps it, so the tool is not offered: serve with --learn DB")
		return nil
	}
	return view.NewReporter(view.ReporterOptions{Enabled: true, Server: document.Service.ID})
}
