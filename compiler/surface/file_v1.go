package surface

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
)

// fileV1 is the snapshot file of version 1, in the order it is written.
type fileV1 struct {
	SchemaVersion     int           `json:"schemaVersion"`
	Canon             string        `json:"canon"`
	Digest            string        `json:"digest"`
	Digests           digestsV1     `json:"digests"`
	Endpoint          string        `json:"endpoint"`
	Era               string        `json:"era"`
	ProtocolVersion   string        `json:"protocolVersion"`
	SupportedVersions []string      `json:"supportedVersions"`
	Transport         string        `json:"transport"`
	ClientProfile     string        `json:"clientProfile"`
	Server            canon.Raw     `json:"server,omitzero"`
	Capabilities      canon.Raw     `json:"capabilities,omitzero"`
	Instructions      canon.Raw     `json:"instructions,omitzero"`
	Extra             canon.Raw     `json:"extra,omitzero"`
	Tools             []canon.Raw   `json:"tools"`
	Resources         []canon.Raw   `json:"resources"`
	ResourceTemplates []canon.Raw   `json:"resourceTemplates"`
	Prompts           []canon.Raw   `json:"prompts"`
	Tombstones        []tombstoneV1 `json:"tombstones"`
}

// digestsV1 and tombstoneV1 hold names as raw JSON, since a name may be text that is not UTF-8.
type digestsV1 struct {
	Surface  string    `json:"surface"`
	Contract string    `json:"contract"`
	Text     string    `json:"text"`
	Identity string    `json:"identity"`
	Tools    canon.Raw `json:"tools"`
}

type tombstoneV1 struct {
	Kind       Kind      `json:"kind"`
	Name       canon.Raw `json:"name"`
	LastDigest string    `json:"lastDigest"`
}

// Encode returns the snapshot file: indented, top-level members in a fixed order, canonical inside. Equal snapshots give equal bytes.
func (s *McpSurfaceSnapshot) Encode() ([]byte, error) {
	return canon.Encode(fileV1{
		SchemaVersion: SchemaVersion, Canon: canon.ID, Digest: s.Digest, Digests: s.Digests.file(), Endpoint: s.Endpoint, Era: s.Era,
		ProtocolVersion: s.ProtocolVersion, SupportedVersions: s.SupportedVersions, Transport: s.Transport, ClientProfile: s.ClientProfile,
		Server: s.Server.Canonical(), Capabilities: s.Capabilities.Canonical(), Instructions: s.Instructions.Canonical(),
		Extra: s.Extra.Canonical(),
		Tools: s.raws(Tool), Resources: s.raws(Resource), ResourceTemplates: s.raws(ResourceTemplate), Prompts: s.raws(Prompt),
		Tombstones: s.tombstones(),
	})
}

func (d Digests) file() digestsV1 {
	var tools canon.Builder
	for _, name := range sortedKeys(d.Tools) {
		tools.AddText(name, d.Tools[name])
	}
	return digestsV1{d.Surface, d.Contract, d.Text, d.Identity, tools.Bytes()}
}

func (s *McpSurfaceSnapshot) tombstones() []tombstoneV1 {
	var tombstones []tombstoneV1
	for _, t := range s.Tombstones {
		tombstones = append(tombstones, tombstoneV1{t.Kind, canon.Quote(t.Name), t.LastDigest})
	}
	return tombstones
}

func (s *McpSurfaceSnapshot) raws(kind Kind) []canon.Raw {
	raws := make([]canon.Raw, 0, len(s.Items[kind]))
	for _, it := range s.Items[kind] {
		raws = append(raws, it.JSON)
	}
	return raws
}

// readV1 reads strictly; it does not compare digests.
func readV1(file *canon.Node, known items) (*McpSurfaceSnapshot, error) {
	if id := file.Get("canon").Text(); id != canon.ID {
		return nil, fmt.Errorf("canonical form %q, this anvil knows %q", id, canon.ID)
	}
	if file.Get("digests") == nil {
		return nil, fmt.Errorf("it has no digests, so nothing can be verified")
	}
	var head fileV1
	if err := canon.Decode(withoutContent(file), &head); err != nil {
		return nil, err
	}
	return fromFile(head, file, known)
}

// content names the members that hold a server's words. They are taken from the parsed tree as they stand; everything else is decoded
// strictly.
var content = map[string]bool{
	"digests": true, "tombstones": true,
	"server": true, "capabilities": true, "instructions": true, "extra": true,
	"tools": true, "resources": true, "resourceTemplates": true, "prompts": true,
}

func withoutContent(node *canon.Node) []byte {
	var head canon.Builder
	for _, m := range node.Members {
		if !content[m.Name] {
			head.AddMember(m, m.Value.Raw)
		}
	}
	return head.Bytes()
}

func fromFile(head fileV1, node *canon.Node, known items) (*McpSurfaceSnapshot, error) {
	s := &McpSurfaceSnapshot{
		Endpoint: head.Endpoint, Era: head.Era, ProtocolVersion: head.ProtocolVersion, SupportedVersions: head.SupportedVersions,
		Transport: head.Transport, ClientProfile: head.ClientProfile, Items: map[Kind][]Item{},
		Server: opened(node.Get("server")), Capabilities: opened(node.Get("capabilities")), Instructions: opened(node.Get("instructions")),
		Extra: opened(node.Get("extra")),
	}
	for _, own := range []string{"digests", "tombstones"} { // what a server wrote is kept as it is, names given twice included
		if at := twice(opened(node.Get(own))); at != "" {
			return nil, fmt.Errorf("member /%s%s is given twice", own, at)
		}
	}
	for _, n := range opened(node.Get("tombstones")).Elements() {
		kind, name, digest := n.Get("kind").Text(), n.Get("name").Text(), n.Get("lastDigest").Text()
		if len(n.Members) != 3 || kind == "" || !n.Get("name").Is(canon.String) || !canon.IsDigest(digest) {
			return nil, fmt.Errorf("a tombstone is malformed")
		}
		s.Tombstones = append(s.Tombstones, Tombstone{Kind(kind), name, digest})
	}
	seen := map[string]bool{}
	for _, m := range node.Members {
		if seen[m.Name] {
			return nil, fmt.Errorf("member %q is given twice", m.Name)
		}
		seen[m.Name] = true
	}
	for _, kind := range Kinds {
		list := node.Get(kind.List())
		if !list.IsArray() {
			return nil, fmt.Errorf("%s is no list", kind.List())
		}
		raws := make([][]byte, 0, len(list.Items))
		for _, n := range list.Items {
			raws = append(raws, n.Raw)
		}
		if err := s.setItems(kind, raws, known); err != nil {
			return nil, err
		}
	}
	s.seal()
	return s, nil
}

// verifyV1 returns the members in which the file states other digests than its content gives, sorted.
func verifyV1(s *McpSurfaceSnapshot, node *canon.Node) (differs []string) {
	stated, computed := map[string]string{}, map[string]string{}
	for _, m := range opened(node.Get("digests")).Members {
		if m.Name == "tools" {
			for _, tool := range m.Value.Members {
				stated["digests.tools."+tool.Name] = tool.Value.Text()
			}
			continue
		}
		stated["digests."+m.Name] = m.Value.Text()
	}
	for name, d := range s.Digests.Tools {
		computed["digests.tools."+name] = d
	}
	d := s.Digests
	computed["digests.surface"], computed["digests.contract"] = d.Surface, d.Contract
	computed["digests.text"], computed["digests.identity"] = d.Text, d.Identity
	stated["digest"], computed["digest"] = node.Get("digest").Text(), s.Digest
	for name, value := range stated {
		if is, ok := computed[name]; !ok || is != value {
			differs = append(differs, name)
		}
	}
	for name := range computed {
		if _, ok := stated[name]; !ok {
			differs = append(differs, name)
		}
	}
	slices.Sort(differs)
	return differs
}
