package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// SchemaVersion is the version of the pack format that this package writes.
const SchemaVersion = 1

// The files of a pack that have a fixed place.
const (
	ManifestFile  = "anvil-pack.json"
	SnapshotFile  = "snapshot.json"
	AIRFile       = "air.yaml"
	SignatureFile = "surface-signature.json"
	MetadataYAML  = "tools-metadata.yaml"
	MetadataJSON  = "tools-metadata.json"
	FacadeFile    = "facade.yaml"
	ChangesJSON   = "diff/changes.json"
	ChangesText   = "diff/CHANGES.md"
)

// CapabilityFile is where the contract of a capability is.
func CapabilityFile(id string) string { return "capabilities/" + id + ".yaml" }

// ErrFormat marks a folder that is no pack of a format this anvil reads.
var ErrFormat = errors.New("not a pack of this format")

// Mode is how a server is adopted.
type Mode string

// The modes (ADR 0001). Replace needs the upstream's OpenAPI document.
const (
	Adopt   Mode = "adopt"   // reference the provider's server as it is
	Facade  Mode = "facade"  // run it behind anvil
	Replace Mode = "replace" // generate a server of one's own
)

// Manifest lists what a pack holds. Digest covers everything else in it, so it identifies the pack; certificates stand outside.
type Manifest struct {
	SchemaVersion int        `json:"schemaVersion"`
	ID            string     `json:"id"`      // the service id, the same over rebuilds
	Version       string     `json:"version"` // the server's own version
	Mode          Mode       `json:"mode"`
	Canon         string     `json:"canon"`
	Digest        string     `json:"digest"`
	Snapshot      string     `json:"snapshot"`      // digest of the snapshot it was made from
	Base          string     `json:"base,omitzero"` // digest of the snapshot it was compared with
	Artifacts     []Artifact `json:"artifacts"`     // by path
}

// Artifact is one file: what it is, its digest, and the digests of what it was made from.
type Artifact struct {
	Path   string   `json:"path"` // relative, with "/"
	Kind   string   `json:"kind"` // snapshot, air, signature, tools-metadata, facade, diff, capability, skill
	Digest string   `json:"digest"`
	Inputs []string `json:"inputs"`
}

// computeDigest returns the digest that m must state.
func (m Manifest) computeDigest() (string, error) {
	m.Digest = ""
	data, err := canon.EncodeCompact(m)
	if err != nil {
		return "", err
	}
	return canon.DigestOf(data)
}

// Seal returns the manifest over files, digest included, with the artifacts in order of path. kinds and inputs describe each path.
func Seal(m Manifest, files map[string][]byte, kind func(path string) string, inputs func(path string) []string) (Manifest, error) {
	m.SchemaVersion, m.Canon, m.Artifacts = SchemaVersion, canon.ID, []Artifact{}
	for p, data := range files {
		if err := checkPath(p); err != nil {
			return Manifest{}, err
		}
		m.Artifacts = append(m.Artifacts, Artifact{p, kind(p), canon.Digest(data), inputs(p)})
	}
	slices.SortFunc(m.Artifacts, func(a, b Artifact) int { return strings.Compare(a.Path, b.Path) })
	digest, err := m.computeDigest()
	if err != nil {
		return Manifest{}, fmt.Errorf("digest manifest: %w", err)
	}
	m.Digest = digest
	return m, nil
}

// DecodeManifest reads a manifest. Errors match [ErrFormat].
func DecodeManifest(data []byte) (Manifest, error) {
	node, err := canon.Parse(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if v, ok := node.Get("schemaVersion").Int(); !ok || v < 1 || v > SchemaVersion {
		return Manifest{}, fmt.Errorf("%w: %s states no schemaVersion up to %d; use a newer anvil, or build the pack again with `anvil mcp adopt`",
			ErrFormat, ManifestFile, SchemaVersion)
	}
	var m Manifest
	if err := canon.Decode(data, &m); err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return m, nil
}

// checkPath refuses a path that is not a plain relative one.
func checkPath(p string) error {
	if !fs.ValidPath(p) || p == "." || p == ManifestFile || strings.ContainsAny(p, `\:`) || path.Clean(p) != p {
		return fmt.Errorf("artifact path %q is unsafe", p)
	}
	return nil
}

// isOutside reports a path that belongs to a pack but not to its digest: certificates refer to the digest.
func isOutside(p string) bool {
	return p == "certification.json" || strings.HasPrefix(p, "attestations/") && strings.HasSuffix(p, ".json")
}
