package certify

import (
	"bufio"
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/yaml"
)

// isSource reports a kind that says what there is, or was, and offers nothing.
func isSource(kind string) bool {
	return slices.Contains([]string{pack.KindSnapshot, pack.KindAIR, pack.KindDiff}, kind)
}

// listing is what an artifact says of operations.
type listing struct {
	entries []entry         // places that state something of an operation
	named   map[string]bool // ids of the operations it names
	sets    []string        // digests of whole surface signatures
}

// entry is a place in an artifact that states something of one operation.
type entry struct {
	operation air.Operation
	stated    map[string]string // digests and the state, by member
}

// The members by which an artifact names an operation, those that state something of it which must be what the document says, those that hold the
// digest of a whole surface signature, and those that hold what the server sent, whose words name nothing.
var (
	idMembers    = []string{"operation", "operationId", "id"}
	nameMembers  = []string{"toolName", "publicName", "tool", "name"}
	statedValues = []string{"contractDigest", "textDigest", "inputSchemaDigest", "outputSchemaDigest", "effectDigest", "digest", "state"}
	setMembers   = []string{"signature", "exposed", "surfaceSignature", "surfaceSignatureDigest", "signatureDigest"}
	serverSent   = []string{"input", "output", "inputSchema", "outputSchema", "schema", "params", "description", "title"}
)

// listing reads an artifact: one of data by its members, one of text by the ids that stand in it.
func (r *run) listing(a pack.Artifact) (listing, error) {
	l := listing{named: map[string]bool{}}
	text := r.Pack.Files[a.Path]
	switch path.Ext(a.Path) {
	case ".json":
	case ".yaml", ".yml":
		var err error
		if text, err = yaml.JSON(text); err != nil {
			return l, err
		}
	default:
		r.readText(text, &l)
		return l, nil
	}
	n, err := canon.Parse(text)
	if err != nil {
		return l, err
	}
	for _, name := range setMembers {
		if digest, ok := n.Get(name).Str(); ok && canon.IsDigest(digest) {
			l.sets = append(l.sets, digest)
		}
	}
	r.readData(n, &l)
	return l, nil
}

// readData gathers what n and everything below it state of operations.
func (r *run) readData(n *canon.Node, l *listing) {
	if n.IsObject() {
		stated := map[string]string{}
		for _, name := range statedValues {
			if text, ok := n.Get(name).Str(); ok {
				stated[name] = text
			}
		}
		if o, ok := r.about(n); ok && len(stated) > 0 {
			l.entries = append(l.entries, entry{o, stated})
		}
		for _, m := range n.Members {
			if !slices.Contains(serverSent, m.Name) {
				r.readData(m.Value, l)
			}
		}
		return
	}
	for _, item := range n.Elements() {
		r.readData(item, l)
	}
	if _, known := r.byID[n.Text()]; known {
		l.named[n.Text()] = true
	}
}

// about returns the operation that an object is about.
func (r *run) about(n *canon.Node) (air.Operation, bool) {
	for _, name := range idMembers {
		if o, ok := r.byID[n.Get(name).Text()]; ok {
			return o, true
		}
	}
	for _, name := range nameMembers {
		if o, ok := r.byTool[n.Get(name).Text()]; ok {
			return o, true
		}
	}
	return air.Operation{}, false
}

// idWord is what an operation's id looks like: a service, a dot, a name.
var idWord = regexp.MustCompile(`[a-z][a-z0-9_-]*\.[a-z0-9_]+`)

// readText gathers the ids that a text names. Lines that quote are the server's words: whatever a server calls itself a part of, it offers nothing.
func (r *run) readText(text []byte, l *listing) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		if strings.HasPrefix(strings.TrimSpace(lines.Text()), ">") {
			continue
		}
		for _, word := range idWord.FindAllString(lines.Text(), -1) {
			if _, known := r.byID[word]; known {
				l.named[word] = true
			}
		}
	}
}
