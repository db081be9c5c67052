package certify

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/yaml"
)

// The kinds of artifacts that are read in a way of their own. Whatever else lists operations is read by what its members are called.
const (
	kindSnapshot  = "snapshot"
	kindAIR       = "air"
	kindSignature = "signature"
	kindMetadata  = "tools-metadata"
	kindDiff      = "diff"
	kindFacade    = "facade"
)

// offering are the kinds whose artifacts exist to offer operations to callers: naming one there is offering it.
var offering = []string{"cli", "skill", "simulator", "server"}

func isJSON(name string) bool { return path.Ext(name) == ".json" }

// tree reads an artifact that holds data, nil for one that is text.
func (r *run) tree(a pack.Artifact) (*canon.Node, error) {
	text := r.Pack.Files[a.Path]
	switch path.Ext(a.Path) {
	case ".json":
	case ".yaml", ".yml":
		var err error
		if text, _, err = yaml.ToJSON(text); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return canon.Parse(text)
}

// entry is a place in an artifact that speaks of one operation.
type entry struct {
	operation air.Operation
	stated    map[string]string // digests and the state, by member
}

// The members by which an artifact names an operation, and those that say something of it which must be what the document says.
var (
	idMembers    = []string{"operation", "operationId", "id"}
	nameMembers  = []string{"toolName", "publicName", "tool", "name"}
	statedValues = []string{"contractDigest", "textDigest", "inputSchemaDigest", "outputSchemaDigest", "effectDigest", "digest", "state"}
	setMembers   = []string{"surfaceSignature", "surfaceSignatureDigest", "signatureDigest"}
)

// entries lists the places below n that name an operation and say something of it.
func (r *run) entries(n *canon.Node, found func(entry)) {
	if n == nil {
		return
	}
	if n.IsObject() {
		stated := map[string]string{}
		for _, name := range statedValues {
			if text, ok := n.Get(name).Str(); ok {
				stated[name] = text
			}
		}
		if o, ok := r.named(n); ok && len(stated) > 0 {
			found(entry{o, stated})
		}
	}
	for _, m := range n.Members {
		r.entries(m.Value, found)
	}
	for _, item := range n.Items {
		r.entries(item, found)
	}
}

// named returns the operation that an object names.
func (r *run) named(n *canon.Node) (air.Operation, bool) {
	for _, name := range idMembers {
		if o, ok := r.document.Find(n.Get(name).Text()); ok {
			return o, true
		}
	}
	for _, name := range nameMembers {
		for _, o := range r.document.Operations {
			if text := n.Get(name).Text(); text != "" && o.MCP.ToolName == text {
				return o, true
			}
		}
	}
	return air.Operation{}, false
}

// checkSignature holds every artifact that lists operations against the operations of the document.
func (r *run) checkSignature() Check {
	byID := map[string]air.OperationSignature{}
	for _, o := range r.whole.Operations {
		byID[o.ID] = o
	}
	var problems, agree []string
	for _, a := range r.Pack.Manifest.Artifacts {
		if slices.Contains([]string{kindSnapshot, kindAIR, kindDiff}, a.Kind) {
			continue // what the document follows from, and what it is compared with
		}
		tree, err := r.tree(a)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s cannot be read: %v", a.Path, err))
			continue
		}
		before, listed := len(problems), 0
		problems = append(problems, r.wrongSets(a, tree)...)
		r.entries(tree, func(e entry) {
			listed++
			problems = append(problems, e.differs(a, byID[e.operation.ID])...)
		})
		if want := len(r.document.Operations); (a.Kind == kindSignature || a.Kind == kindMetadata) && listed != want {
			problems = append(problems, fmt.Sprintf("%s lists %d of %d operations", a.Path, listed, want))
		}
		if listed > 0 && len(problems) == before {
			agree = append(agree, a.Path)
		}
	}
	return result(checkSignature, problems, fmt.Sprintf("%d artifacts list operations, and agree with the signature %s: %s",
		len(agree), r.whole.Digest, listed(agree)))
}

// differs says what an entry states of its operation that is not so.
func (e entry) differs(a pack.Artifact, s air.OperationSignature) []string {
	want := map[string]string{
		"contractDigest": s.ContractDigest, "textDigest": s.TextDigest, "inputSchemaDigest": s.InputSchemaDigest,
		"outputSchemaDigest": s.OutputSchemaDigest, "effectDigest": s.EffectDigest,
	}
	if a.Kind == kindMetadata {
		want["digest"] = s.ContractDigest
	}
	var problems []string
	for _, name := range statedValues {
		stated, states := e.stated[name]
		if value, known := want[name]; states && known && stated != value {
			problems = append(problems, fmt.Sprintf("%s states another %s of %q", a.Path, name, s.ID))
		}
	}
	return problems
}

// wrongSets are the digests of whole signatures that an artifact states and that are not the pack's.
func (r *run) wrongSets(a pack.Artifact, n *canon.Node) []string {
	var problems []string
	var stated []string
	if a.Kind == kindSignature && n.Get("digest").Text() != r.whole.Digest {
		problems = append(problems, fmt.Sprintf("%s is not the signature of the operations, %s", a.Path, r.whole.Digest))
	}
	for _, name := range setMembers {
		if text, ok := n.Get(name).Str(); ok {
			stated = append(stated, text)
		}
	}
	for _, digest := range stated {
		if digest != r.whole.Digest && digest != r.exposed.Digest {
			problems = append(problems, fmt.Sprintf("%s states the signature %s, which is not that of the operations", a.Path, digest))
		}
	}
	return problems
}

// checkExposure looks for operations that are offered and not approved: by a state that is not the document's, in what exists to offer
// operations, and in the settings of the facade.
func (r *run) checkExposure() Check {
	var problems []string
	kinds := map[string]bool{}
	for _, a := range r.Pack.Manifest.Artifacts {
		if slices.Contains([]string{kindSnapshot, kindAIR, kindDiff, kindSignature}, a.Kind) {
			continue // which say what there is, and offer nothing
		}
		kinds[a.Kind] = true
		if a.Kind == kindFacade {
			if s, err := pack.DecodeFacadeSettings(r.Pack.Files[a.Path]); err != nil || s.Expose != "approved" {
				problems = append(problems, fmt.Sprintf("%s lets the facade expose more than what is approved", a.Path))
			}
		}
		problems = append(problems, r.offered(a)...)
	}
	names := []string{}
	for kind := range kinds {
		names = append(names, kind)
	}
	slices.Sort(names)
	return result(checkExposure, problems, fmt.Sprintf("no operation but the %d approved ones is offered by %s", len(r.exposed.Operations), strings.Join(names, ", ")))
}

// offered says which operations an artifact offers that are not approved.
func (r *run) offered(a pack.Artifact) []string {
	var problems []string
	tree, _ := r.tree(a) // one that cannot be read fails another check
	r.entries(tree, func(e entry) {
		if state, states := e.stated["state"]; states && state != string(e.operation.State) {
			problems = append(problems, fmt.Sprintf("%s has %q as %s, and it is %s", a.Path, e.operation.ID, state, e.operation.State))
		} else if !states && e.operation.State != air.StateApproved && slices.Contains(offering, a.Kind) {
			problems = append(problems, fmt.Sprintf("%s offers %q, which is %s", a.Path, e.operation.ID, e.operation.State))
		}
	})
	if tree != nil || !slices.Contains(offering, a.Kind) {
		return problems
	}
	words := map[string]bool{}
	for _, word := range idWord.FindAllString(string(r.Pack.Files[a.Path]), -1) {
		words[word] = true
	}
	for _, o := range r.document.Operations {
		if words[o.ID] && o.State != air.StateApproved {
			problems = append(problems, fmt.Sprintf("%s names %q, which is %s", a.Path, o.ID, o.State))
		}
	}
	return problems
}

// idWord is what an operation's id looks like: a service, a dot, a name.
var idWord = regexp.MustCompile(`[a-z][a-z0-9_-]*\.[a-z0-9_]+`)
