package pack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// SchemaVersion is the version of the pack format that this package reads and writes. Version 1 had no build graph.
const SchemaVersion = 2

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
	CommandsFile  = "cli/commands.json"
	LearnedFile   = "learned.json"
)

// The kinds of artifacts. What is not among the quiet ones exists to offer operations to callers: to name one there is to offer it.
const (
	KindSnapshot    = "snapshot"
	KindAIR         = "air"
	KindSignature   = "signature"
	KindMetadata    = "tools-metadata"
	KindCapability  = "capability"
	KindSkill       = "skill"
	KindCommandLine = "cli"
	KindFacade      = "facade"
	KindDiff        = "diff"
	KindLearned     = "learned"
)

// quiet are the kinds that name operations without offering them. A kind that is new offers, until it is known here not to.
var quiet = []string{KindSnapshot, KindAIR, KindSignature, KindMetadata, KindFacade, KindDiff, KindLearned}

// Offers reports a kind whose artifacts exist to offer operations to callers.
func Offers(kind string) bool { return !slices.Contains(quiet, kind) }

// CapabilityFile is where the contract of a capability is.
func CapabilityFile(id string) string { return "capabilities/" + id + ".yaml" }

// CommandLine is where the command line of a service is in its pack.
func CommandLine(service string) string { return "cli/" + service }

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

// Manifest lists what a pack holds and how it came to be. Digest covers everything else in it, so it identifies the pack; certificates stand
// outside.
type Manifest struct {
	SchemaVersion int        `json:"schemaVersion"`
	ID            string     `json:"id"`      // the service id, the same over rebuilds
	Version       string     `json:"version"` // the server's own version
	Mode          Mode       `json:"mode"`
	Canon         string     `json:"canon"`
	Digest        string     `json:"digest"`        // of the other members, artifacts and nodes by their digest
	Contents      string     `json:"contents"`      // digest of artifacts and nodes
	Snapshot      string     `json:"snapshot"`      // digest of the snapshot it was made from
	Base          string     `json:"base,omitzero"` // digest of the snapshot it was compared with
	Artifacts     []Artifact `json:"artifacts"`     // by path
	Nodes         []Node     `json:"nodes"`         // the build graph, by id
}

// Artifact is one file: what it is, its digest, and the digests of what it was made from.
type Artifact struct {
	Path   string   `json:"path"` // relative, with "/"
	Kind   string   `json:"kind"` // of the node that makes it: snapshot, air, signature, tools-metadata, facade, diff, cli, skill ...
	Digest string   `json:"digest"`
	Inputs []string `json:"inputs"`
}

// Seal returns the manifest over files, digests included, with artifacts and nodes in order. Every file is an output of one of the nodes.
func Seal(m Manifest, files map[string][]byte, nodes []Node) (Manifest, error) {
	m.SchemaVersion, m.Canon, m.Artifacts, m.Nodes = SchemaVersion, canon.ID, []Artifact{}, []Node{}
	made := map[string]bool{}
	for _, n := range nodes {
		n = n.ordered()
		m.Nodes = append(m.Nodes, n)
		for _, p := range n.Outputs {
			data, there := files[p]
			switch err := checkPath(p); {
			case err != nil:
				return Manifest{}, err
			case !there || made[p]:
				return Manifest{}, fmt.Errorf("node %s of the build graph makes %q, which is no file or another's", n.ID, p)
			}
			made[p] = true
			m.Artifacts = append(m.Artifacts, Artifact{p, n.Kind, canon.Digest(data), n.digests()})
		}
	}
	for p := range files {
		if !made[p] {
			return Manifest{}, fmt.Errorf("no node of the build graph makes %q", p)
		}
	}
	slices.SortFunc(m.Artifacts, func(a, b Artifact) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Nodes, func(a, b Node) int { return strings.Compare(a.ID, b.ID) })
	var err error
	if m.Contents, err = m.contents(); err != nil {
		return Manifest{}, fmt.Errorf("digest manifest: %w", err)
	}
	if m.Digest, err = m.identity(); err != nil {
		return Manifest{}, fmt.Errorf("digest manifest: %w", err)
	}
	return m, nil
}

// contents returns the digest of artifacts and nodes that m must state.
func (m Manifest) contents() (string, error) {
	return canon.DigestValue(struct {
		Artifacts []Artifact `json:"artifacts"`
		Nodes     []Node     `json:"nodes"`
	}{m.Artifacts, m.Nodes})
}

// identity returns the digest that m must state: of all but artifacts and nodes, for which their own digest stands.
func (m Manifest) identity() (string, error) {
	m.Digest, m.Artifacts, m.Nodes = "", nil, nil
	return canon.DigestValue(m)
}

// DecodeManifest reads a manifest. Errors match [ErrFormat].
func DecodeManifest(data []byte) (Manifest, error) {
	node, err := canon.Parse(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("%w: %s: %w", ErrFormat, ManifestFile, err)
	}
	switch v, ok := node.Get("schemaVersion").Int(); {
	case !ok || v < 1:
		return Manifest{}, fmt.Errorf("%w: %s states no schemaVersion; build the pack again with `anvil mcp adopt`", ErrFormat, ManifestFile)
	case v > SchemaVersion:
		return Manifest{}, fmt.Errorf("%w: %s is of schemaVersion %d and this anvil reads %d; use a newer anvil, or build the pack again with `anvil mcp adopt`",
			ErrFormat, ManifestFile, v, SchemaVersion)
	case v < SchemaVersion:
		return Manifest{}, fmt.Errorf("%w: %s is of schemaVersion %d, which an older anvil wrote, and this one reads %d; remove the folder, and build the pack again with `anvil mcp adopt`",
			ErrFormat, ManifestFile, v, SchemaVersion)
	}
	var m Manifest
	if err := canon.Decode(data, &m); err != nil {
		return Manifest{}, fmt.Errorf("%w: %s: %w", ErrFormat, ManifestFile, err)
	}
	return m, nil
}

// The certificate of a pack: what was checked, and the envelope of signatures over it. Both refer to the pack digest, and so stand outside of it.
// Nothing else may (ADR 0039).
const (
	CertificationFile = "certification.json"
	EnvelopeFile      = attestations + "/certification.dsse.json"
)

const attestations = "attestations"

// isCertificate reports a path that belongs to a pack but not to its digest. It is the one rule of such names, for folders and archives.
func isCertificate(p string) bool { return p == CertificationFile || p == EnvelopeFile }

// isReserved reports a path at which nothing can be sealed, since some file system takes it for that of a certificate or of a file beside one.
func isReserved(p string) bool {
	p, _, _ = strings.Cut(folded(p), "/")
	return p == folded(CertificationFile) || p == attestations
}

// IsExecutable reports an artifact that is a program.
func IsExecutable(p string) bool { return strings.HasPrefix(p, CommandLine("")) && p != CommandsFile }
