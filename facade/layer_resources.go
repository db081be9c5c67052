package facade

import (
	"context"
	"errors"
	"sync"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/view"
	"anvil/wire"
)

// Resources are what the facade publishes beside the upstream's own resources: see [view.Resources]. They must be safe for concurrent use.
type Resources interface {
	List() []view.Resource
	Templates() []view.Resource
	// Has reports an address that is the facade's to answer: no request for it reaches the upstream.
	Has(uri string) bool
	// Read returns what the reader may know of what is at an address; its error is [view.ErrNoResource] where there is nothing.
	Read(ctx context.Context, uri string, by view.Reader) (view.Content, error)
}

const (
	methodResources   = "resources/list"
	methodTemplates   = "resources/templates/list"
	methodRead        = "resources/read"
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodUpdated     = "notifications/resources/updated"

	codeNoResource = -32002 // of MCP, before 2026-07-28

	readTime = 30 * time.Second // for one resource to be read
	readers  = 4                // at a time, over all clients: what is behind them is a database
)

// published is what a facade publishes.
type published struct {
	Resources
	resources, templates []byte        // their entries in the lists, as JSON without brackets
	room                 chan struct{} // a token for each that is being read
	changed              chan struct{} // holds a token when it may say something else than before
	watch                sync.Once     // the watcher runs
}

// publish makes what is published of the options; nil where nothing is.
func (o Options) publish() (*published, error) {
	if o.Resources == nil || !o.Serving.Publishes() {
		return nil, nil
	}
	p := &published{Resources: o.Resources, room: make(chan struct{}, readers), changed: make(chan struct{}, 1)}
	var err error
	if p.resources, err = entriesOf(o.Resources.List(), false); err == nil {
		p.templates, err = entriesOf(o.Resources.Templates(), true)
	}
	return p, err
}

// entriesOf are entries of resources/list or resources/templates/list.
func entriesOf(all []view.Resource, templates bool) ([]byte, error) {
	var entries []byte
	for i, r := range all {
		entry := struct {
			URI      string `json:"uri,omitzero"`
			Template string `json:"uriTemplate,omitzero"`
			Name     string `json:"name"`
			Title    string `json:"title,omitzero"`
			MIMEType string `json:"mimeType"`
		}{URI: r.URI, Name: r.Name, Title: r.Title, MIMEType: r.MIMEType}
		if templates {
			entry.URI, entry.Template = "", r.URI
		}
		text, err := canon.EncodeCompact(entry)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			entries = append(entries, ',')
		}
		entries = append(entries, text...)
	}
	return entries, nil
}

// answersResource answers a request about the facade's own resources; it reports false for one that is the upstream's.
func (s *session) answersResource(method string, e wire.Envelope, reply func(wire.Envelope)) bool {
	p := s.facade.published
	if p == nil {
		return false
	}
	switch method {
	case methodResources:
		s.listBeside(e, reply, "resources", p.resources)
		return true
	case methodTemplates:
		s.listBeside(e, reply, "resourceTemplates", p.templates)
		return true
	case methodRead, methodSubscribe, methodUnsubscribe:
	default:
		return false
	}
	uri, ours, exact := p.addressed(e.Bytes(e.Params))
	switch {
	case !ours:
		return false
	case !exact:
		reply(s.facade.refuse(refusal{code: codeParams, reason: ambiguousMessage, message: "params gives more than one uri, and one of them is of a resource of the facade's",
			hint: "give params.uri once: readers do not agree on which of two counts"}))
	case method == methodRead:
		s.readPublished(e, uri, reply)
	case s.hello.Load() != nil && !s.handshaken.Load(): // nobody would be told, nor end it
		reply(s.facade.refuse(refusal{code: codeNoMethod, reason: unsupported, message: "unknown method " + shown(method), hint: "listen to resources with " + methodListen}))
	case method == methodSubscribe:
		s.subscribe(e, uri, reply)
	default:
		s.conversation.watching.end(uri)
		reply(resultOf(s.complete([]byte("{}"))))
	}
	return true
}

// addressed reads which resource of the facade's params are about; exact reports that no reader can find another uri there.
func (p *published) addressed(params []byte) (uri string, ours, exact bool) {
	if len(params) == 0 || params[0] != '{' {
		return "", false, false
	}
	given := 0
	eachMember(params, func(raw, value []byte) {
		name := decodedName(raw)
		if !alike(name, "uri") {
			return
		}
		given++
		if text, ok := wire.Unquote(value); ok && p.Has(text) {
			uri, ours, exact = text, true, name == "uri"
		}
	})
	return uri, ours, exact && given == 1
}

// aside answers a request beside the goroutine that handles the client's messages, unless the client gives it up meanwhile.
func (s *session) aside(e wire.Envelope, reply func(wire.Envelope), answer func(context.Context) (result []byte, r *refusal)) {
	ctx, cancel := context.WithTimeout(s.ctx, readTime)
	h, ok := s.hold(&Call{Request: e}, cancel)
	if !ok {
		cancel()
		reply(s.facade.refuse(tooMany))
		return
	}
	done := func(result []byte, r *refusal) {
		cancel()
		switch {
		case !h.release():
		case r != nil:
			reply(s.facade.refuse(*r))
		default:
			reply(resultOf(result))
		}
	}
	s.spawnOr(func() { done(answer(ctx)) }, func() { done(nil, s.over()) })
}

// resultOf is a reply that is ready to have its id replaced.
func resultOf(result []byte) wire.Envelope {
	e, err := wire.Scan(append(append([]byte(`{"jsonrpc":"2.0","id":null,"result":`), result...), '}'))
	if err != nil {
		panic("facade: a result of our own is not JSON-RPC: " + err.Error())
	}
	return e
}

func (s *session) readPublished(e wire.Envelope, uri string, reply func(wire.Envelope)) {
	s.aside(e, reply, func(ctx context.Context) ([]byte, *refusal) {
		content, r := s.contentOf(ctx, uri)
		if r != nil {
			return nil, r
		}
		type contents struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType"`
			Text     string `json:"text"`
		}
		result, err := canon.EncodeCompact(struct {
			Contents []contents `json:"contents"`
		}{[]contents{{content.URI, content.MIMEType, content.Text}}})
		if err != nil {
			return nil, s.unreadable(err)
		}
		return s.complete(result), nil
	})
}

// contentOf is what a resource of the facade's holds for the client of the session.
func (s *session) contentOf(ctx context.Context, uri string) (view.Content, *refusal) {
	content, err := s.facade.published.read(ctx, uri, s.facade.reader(s.client.Subject))
	switch {
	case err == nil:
		return content, nil
	case s.ctx.Err() != nil:
		return content, s.over()
	case errors.Is(err, view.ErrNoResource):
		return content, &refusal{code: s.noResourceCode(), reason: invalid, hint: "take an address from those lists", message: diag.Printable(cut(err.Error(), 300)) + "; what there is, is listed by " + methodResources + " and " + methodTemplates}
	}
	return content, s.unreadable(err)
}

// noResourceCode is the error code for a resource that there is not, in the session's era.
func (s *session) noResourceCode() int {
	if s.hello.Load() != nil {
		return codeParams
	}
	return codeNoResource
}

// unreadable refuses what cannot be read for a reason that is the operator's to know.
func (s *session) unreadable(err error) *refusal {
	s.notes.logf("a resource of the facade's could not be read: %s", diag.Printable(cut(err.Error(), 300)))
	return &refusal{code: codeServer, reason: upstreamTrouble, hint: "ask again later", message: "the resource cannot be read at the moment; ask again, and if it stays so, whoever runs the facade was told why"}
}

// read reads once there is room.
func (p *published) read(ctx context.Context, uri string, by view.Reader) (view.Content, error) {
	select {
	case p.room <- struct{}{}:
		defer func() { <-p.room }()
	case <-ctx.Done():
		return view.Content{}, ctx.Err()
	}
	return p.Read(ctx, uri, by)
}

// reader is a client as one who reads: of tools it knows those that are approved and that the policy lists for it, and of calls its own, where the front knows who it is.
// A tool that is withheld because the server changed it is among them, since what is published of it is what was approved.
func (f *Facade) reader(subject string) view.Reader {
	x := f.exposed.Load()
	return view.Reader{Client: subject, Shows: func(t learn.Tool) bool {
		_, may := x.tool(t.Name, f.now)
		return may && t.Server == f.options.Service && !x.Policy.List(t.Name, subject).Denies()
	}}
}

// advertised is a result of initialize that says what the facade has beside the upstream's: the extension, and that resources can be subscribed to.
func (s *session) advertised(result []byte) []byte {
	if s.facade.published == nil {
		return result
	}
	if string(memberAt(result, "capabilities", "extensions", view.ExtensionID)) != "{}" {
		result = withMember(result, []byte("{}"), "capabilities", "extensions", view.ExtensionID)
	}
	if string(memberAt(result, "capabilities", "resources", "subscribe")) != "true" {
		result = withMember(result, []byte("true"), "capabilities", "resources", "subscribe")
	}
	return result
}
