package surface

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"

	"anvil/compiler/canon"
)

// Errors of [Decode], to be tested with errors.Is.
var (
	ErrFormat = errors.New("not a snapshot of this format")
	ErrDigest = errors.New("digest does not match the content")
)

// version is how files of one schemaVersion are read. A version that was ever written stays in the table, together with the digests it was
// written with (ADR 0002): a new one brings its own reader and gives the newest before it an upgrade.
type version struct {
	read    func(file *canon.Node, known items) (*McpSurfaceSnapshot, error) // the snapshot, under the digests of this version
	verify  func(s *McpSurfaceSnapshot, file *canon.Node) []string           // the members in which the file states others, sorted
	upgrade func(file *canon.Node) (nextVersion *canon.Node, err error)      // its stated digests are not looked at; nil for the newest version
}

// versions holds version N at place N-1; the last is the one that is written.
var versions = []version{{read: readV1, verify: verifyV1}}

// outlined is how deep a file is opened: its lists, and not the items in them, each of which becomes a tree of its own.
const outlined = 2

// opened returns n, of a file, with all that stands in it.
func opened(n *canon.Node) *canon.Node {
	if n == nil {
		return nil
	}
	whole, err := canon.Parse(n.Raw)
	if err != nil {
		panic("surface: a part of what was parsed does not parse: " + err.Error())
	}
	return whole
}

// Decode reads a snapshot file of any version up to [SchemaVersion] and verifies it: every digest is computed again from the content.
// Errors match [ErrFormat], or are an [EditedError].
func Decode(data []byte) (*McpSurfaceSnapshot, error) {
	file, err := outline(data)
	if err != nil {
		return nil, err
	}
	return decode(file, versions, nil)
}

func outline(data []byte) (*canon.Node, error) {
	file, err := canon.Outline(data, outlined)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, explain(data, err))
	}
	return file, nil
}

// items are those that were read already, by a hash of kind and text; nil remembers none.
type items map[uint64]readItem

type readItem struct {
	kind Kind
	text []byte // as it was read
	item Item
}

var itemSeed = maphash.MakeSeed()

func (k Kind) hash(text []byte) uint64 {
	return maphash.Bytes(itemSeed, text) ^ maphash.String(itemSeed, string(k))
}

// find returns the item of that text, if it was read already.
func (all items) find(kind Kind, text []byte) (Item, bool) {
	if len(all) == 0 {
		return Item{}, false
	}
	k, ok := all[kind.hash(text)]
	return k.item, ok && k.kind == kind && bytes.Equal(k.text, text)
}

func (all items) keep(kind Kind, texts [][]byte, read []Item) {
	if all == nil {
		return
	}
	for i, text := range texts {
		all[kind.hash(text)] = readItem{kind, text, read[i]}
	}
}

// decode verifies the file as its own version wrote it, before anything of it is changed.
func decode(file *canon.Node, table []version, known items) (*McpSurfaceSnapshot, error) {
	n, err := versionOf(file, len(table))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	s, err := table[n-1].read(file, known)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	differs := table[n-1].verify(s, file)
	if n < len(table) {
		if s, err = upgraded(file, n, table, known); err != nil {
			return nil, err
		}
	}
	if len(differs) > 0 {
		return nil, &EditedError{Differs: differs, Content: s}
	}
	return s, nil
}

// upgraded reads a file of version n as one of the newest.
func upgraded(file *canon.Node, n int, table []version, known items) (s *McpSurfaceSnapshot, err error) {
	for older := n; older < len(table); older++ {
		if file, err = table[older-1].upgrade(file); err != nil {
			return nil, fmt.Errorf("%w: bring version %d to %d: %w", ErrFormat, older, older+1, err)
		}
	}
	if s, err = table[len(table)-1].read(file, known); err != nil {
		return nil, fmt.Errorf("%w: version %d, brought to %d: %w", ErrFormat, n, len(table), err)
	}
	return s, nil
}

func versionOf(file *canon.Node, newest int) (int, error) {
	stated := file.Get("schemaVersion")
	if stated == nil {
		return 0, errors.New("it has no schemaVersion, so it is no snapshot")
	}
	n, ok := stated.Int()
	if !ok || n < 1 {
		return 0, fmt.Errorf("schemaVersion %.40s is none that was ever written", stated.Raw)
	}
	if n > int64(newest) {
		return 0, versionError(fmt.Sprintf("it has schemaVersion %d and this anvil reads up to %d; update anvil", n, newest))
	}
	return int(n), nil
}
