package diff

import (
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// Options say how surfaces are compared.
type Options struct {
	// StrictOpen counts what callers may send in members that an open object does not declare. Without it such members are taken to be never sent, so
	// that a new optional argument breaks nobody.
	StrictOpen bool

	// Ended reports that nobody waits for the Delta any more: what is not compared by then is left out. It is nil where nobody goes away.
	Ended func() bool

	steps int // of the proof of each schema; see share
}

// Compare returns what differs between two snapshots. Snapshots of one digest give an empty Delta. The Delta aliases both, which must
// not change.
func Compare(old, new *surface.McpSurfaceSnapshot, o Options) Delta {
	d := Delta{Old: endOf(old), New: endOf(new), Endpoint: endpointTurn(old.Endpoint, new.Endpoint)}
	if old.Digest == new.Digest {
		return d
	}
	d.Server = members("", exact(old.Server), exact(new.Server))
	d.Instructions = walk("", exact(old.Instructions), exact(new.Instructions))
	d.Capabilities = settings(exact(old.Capabilities), exact(new.Capabilities), "experimental", "extensions")
	d.Extra = members("", exact(old.Extra), exact(new.Extra))
	d.Protocol = turn(old.ProtocolVersion, new.ProtocolVersion)
	d.Era = turn(old.Era, new.Era)
	d.Transport = turn(old.Transport, new.Transport)
	d.ClientProfile = turn(old.ClientProfile, new.ClientProfile)
	d.VersionsAdded, d.VersionsRemoved = surplus(old.SupportedVersions, new.SupportedVersions)
	words := newReader(old, new)
	d.Words = words.self(old, new)
	for _, kind := range surface.Kinds {
		list := matcher{kind: kind, graves: graves(old, kind), options: o, words: words}.match(old.Items[kind], new.Items[kind])
		if len(list.Added)+len(list.Removed)+len(list.Changed)+len(list.Renamed) > 0 {
			d.Lists = append(d.Lists, list)
		}
		if kind == surface.Tool {
			d.Clashes = clashes(old, new)
			d.OldWeight, d.NewWeight = weights(old, new, list)
		}
	}
	return d
}

func endOf(s *surface.McpSurfaceSnapshot) End {
	return End{
		ServerName: s.ServerName(), ServerVersion: s.ServerVersion(), ProtocolVersion: s.ProtocolVersion,
		Digest: s.Digest, Surface: s.Digests.Surface, SupportsStated: len(s.SupportedVersions) > 0,
	}
}

// exact returns n in canonical form, so that equal values have equal text: a snapshot read from its file holds indented nodes.
func exact(n *canon.Node) *canon.Node {
	if n == nil {
		return nil
	}
	return parsed(n.Canonical())
}

// parsed reads text that is canonical already.
func parsed(text []byte) *canon.Node {
	n, err := canon.Parse(text)
	if err != nil {
		panic("diff: canonical text does not parse: " + err.Error())
	}
	return n
}

func turn(before, after string) *Turn {
	if before == after {
		return nil
	}
	return &Turn{before, after}
}

// surplus returns what each list holds beyond the other, counting repetitions, sorted.
func surplus(old, new []string) (added, removed []string) {
	count := map[string]int{}
	for _, s := range old {
		count[s]--
	}
	for _, s := range new {
		count[s]++
	}
	for s, n := range count {
		for ; n > 0; n-- {
			added = append(added, s)
		}
		for ; n < 0; n++ {
			removed = append(removed, s)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	return added, removed
}

func graves(s *surface.McpSurfaceSnapshot, kind surface.Kind) map[string]string {
	last := map[string]string{}
	for _, t := range s.Tombstones {
		if t.Kind == kind {
			last[t.Name] = t.LastDigest
		}
	}
	return last
}
