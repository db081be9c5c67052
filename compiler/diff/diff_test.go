package diff

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares got with a file below testdata, or rewrites the file.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	path = filepath.Join("testdata", path)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", path, diff)
	}
}

// capture reads the compact form of the fixtures: {"initialize": {...}, "tools": [...], "resources": [...], ...} and, where it matters,
// "endpoint", "era", "transport", "clientProfile", "protocolVersion", "supportedVersions" and "tombstones" ({"kind", "name", "lastDigest"}).
func capture(t testing.TB, text []byte) *surface.McpSurfaceSnapshot {
	t.Helper()
	n, err := canon.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	c := surface.Capture{
		Endpoint: n.Get("endpoint").Text(), Era: or(n, "era", "handshake"), Transport: or(n, "transport", "stdio"), ClientProfile: or(n, "clientProfile", "full"),
		ProtocolVersion: or(n, "protocolVersion", "2025-11-25"), Initialize: []byte("{}"), Lists: map[surface.Kind][][]byte{},
	}
	for _, v := range n.Get("supportedVersions").Elements() {
		c.SupportedVersions = append(c.SupportedVersions, v.Text())
	}
	if welcome := n.Get("initialize"); welcome != nil {
		c.Initialize = welcome.Raw
	}
	for _, kind := range surface.Kinds {
		for _, item := range n.Get(kind.List()).Elements() {
			c.Lists[kind] = append(c.Lists[kind], item.Raw)
		}
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, grave := range n.Get("tombstones").Elements() {
		s.Tombstones = append(s.Tombstones, surface.Tombstone{
			Kind: surface.Kind(grave.Get("kind").Text()), Name: grave.Get("name").Text(), LastDigest: grave.Get("lastDigest").Text()})
	}
	return s
}

func or(n *canon.Node, member, fallback string) string {
	if v, ok := n.Get(member).Str(); ok {
		return v
	}
	return fallback
}

// compared is Compare with the default options.
func compared(old, new *surface.McpSurfaceSnapshot) Delta { return Compare(old, new, Options{}) }
