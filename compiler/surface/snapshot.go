package surface

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/internal/workers"
)

// SchemaVersion is the version of the snapshot file that this package writes.
const SchemaVersion = 1

// Capture is what a probe brings home: the server's own words, in the order they came.
type Capture struct {
	Endpoint          string            // how the server was reached, without secrets; in no digest
	Era               string            // EraHandshake or EraStateless
	ProtocolVersion   string            // negotiated
	SupportedVersions []string          // what the server says it speaks, when it says so
	Transport         string            // "stdio", "http" or "sse"
	ClientProfile     string            // what the probe announced: "bare" or "full"
	Initialize        []byte            // the whole result of initialize, or of server/discover in the stateless era
	Lists             map[Kind][][]byte // raw list items, all pages joined
}

// McpSurfaceSnapshot is one captured surface. Its fields are read-only.
type McpSurfaceSnapshot struct {
	Digest            string // of everything but the endpoint, the tombstones and the canonical id
	Digests           Digests
	Endpoint          string
	Era               string
	ProtocolVersion   string
	SupportedVersions []string
	Transport         string
	ClientProfile     string
	Server            *canon.Node // serverInfo as sent; nil when absent
	Capabilities      *canon.Node // as sent; nil when absent
	Instructions      *canon.Node // as sent; nil when absent
	Extra             *canon.Node // members of the handshake's result that the protocol does not know; nil without any
	Items             map[Kind][]Item
	Tombstones        []Tombstone
}

// Digests cover parts of a surface, so that a change tells what kind of change it is (ADR 0002).
type Digests struct {
	Surface  string            // everything a model or a caller can see
	Contract string            // what a machine relies on: names, schemas, hints, capabilities
	Text     string            // every string a model reads
	Identity string            // who the server says it is, and how it was spoken to
	Tools    map[string]string // per tool name, of the whole tool
}

// Tombstone remembers an item that was here and went away, so that its return in another shape is noticed.
type Tombstone struct {
	Kind       Kind
	Name       string
	LastDigest string
}

// New makes the snapshot of a capture. It fails only when the capture holds text that is not JSON.
func New(c Capture) (*McpSurfaceSnapshot, error) {
	s := &McpSurfaceSnapshot{
		Endpoint: utf8(c.Endpoint), Era: c.Era, ProtocolVersion: utf8(c.ProtocolVersion), Transport: c.Transport,
		ClientProfile: c.ClientProfile, Items: map[Kind][]Item{},
	}
	for _, v := range c.SupportedVersions {
		s.SupportedVersions = append(s.SupportedVersions, utf8(v))
	}
	if err := s.setInitialize(c.Initialize); err != nil {
		return nil, fmt.Errorf("what the server says of itself: %w", err)
	}
	for _, kind := range Kinds {
		if err := s.setItems(kind, c.Lists[kind], nil); err != nil {
			return nil, err
		}
	}
	s.seal()
	return s, nil
}

// setItems reads the items of one kind, side by side, but for those that are known.
func (s *McpSurfaceSnapshot) setItems(kind Kind, raws [][]byte, known items) error {
	if len(raws) == 0 {
		return nil
	}
	read, errs := make([]Item, len(raws)), make([]error, len(raws))
	workers.Each(len(raws), func(i int) {
		it, was := known.find(kind, raws[i])
		if !was {
			it, errs[i] = NewItem(kind, raws[i])
		}
		read[i] = it
	})
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("item %d of %s: %w", i, kind.Method(), err)
		}
	}
	known.keep(kind, raws, read)
	sortItems(read)
	s.Items[kind] = read
	return nil
}

func utf8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func (s *McpSurfaceSnapshot) setInitialize(raw []byte) error {
	text, err := canon.Canonical(raw)
	if err != nil {
		return err
	}
	node, err := canon.Parse(text)
	if err != nil {
		return err
	}
	s.Server, s.Capabilities, s.Instructions = node.Get("serverInfo"), node.Get("capabilities"), node.Get("instructions")
	known := []string{"serverInfo", "capabilities", "instructions", "protocolVersion"}
	if s.Era == EraStateless {
		s.Server = node.Get("_meta").Get(metaServerInfo)
		known = []string{"_meta", "capabilities", "instructions", "supportedVersions", "resultType", "ttlMs", "cacheScope"}
	}
	extra := without(node, known...)
	if s.Era == EraStateless {
		if meta := without(node.Get("_meta"), metaServerInfo).Bytes(); string(meta) != "{}" {
			extra.Add("_meta", meta)
		}
	}
	if text := extra.Bytes(); string(text) != "{}" {
		s.Extra, err = canon.Parse(text)
	}
	return err
}

// The eras of the protocol: a session opened by initialize, or requests that stand for themselves.
const (
	EraHandshake = "handshake"
	EraStateless = "stateless"
)

// metaServerInfo is where the stateless era puts serverInfo (MCP 2026-07-28, _meta).
const metaServerInfo = "io.modelcontextprotocol/serverInfo"

// without collects the members of n but those named.
func without(n *canon.Node, names ...string) *canon.Builder {
	var b canon.Builder
	if n != nil {
		for _, m := range n.Members {
			if !slices.Contains(names, m.Name) {
				b.AddMember(m, m.Value.Raw)
			}
		}
	}
	return &b
}

// ServerName returns serverInfo.name, "" when the server gave none.
func (s *McpSurfaceSnapshot) ServerName() string { return s.Server.Get("name").Text() }

// ServerVersion returns serverInfo.version, "" when the server gave none.
func (s *McpSurfaceSnapshot) ServerVersion() string { return s.Server.Get("version").Text() }

// Tools returns the tools, by name.
func (s *McpSurfaceSnapshot) Tools() []Item { return s.Items[Tool] }

// Find returns the first item of the kind with the given name.
func (s *McpSurfaceSnapshot) Find(kind Kind, name string) (Item, bool) {
	for _, it := range s.Items[kind] {
		if it.Name == name {
			return it, true
		}
	}
	return Item{}, false
}

// WithHistory returns s with the tombstones that follow from prev: what prev had and s has not, with the digest it had last, and
// prev's own tombstones unless their item is back.
func (s *McpSurfaceSnapshot) WithHistory(prev *McpSurfaceSnapshot) *McpSurfaceSnapshot {
	next := *s
	next.Tombstones = nil
	for _, kind := range Kinds {
		gone := map[string]string{}
		for _, t := range prev.Tombstones {
			if t.Kind == kind {
				gone[t.Name] = t.LastDigest
			}
		}
		for _, it := range prev.Items[kind] {
			gone[it.Name] = it.Digest
		}
		for _, name := range sortedKeys(gone) {
			if _, back := s.Find(kind, name); !back {
				next.Tombstones = append(next.Tombstones, Tombstone{kind, name, gone[name]})
			}
		}
	}
	return &next
}
