package air

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// Signature is the fingerprint of a set of operations: what the command line, the skill, the simulator and the facade of one pack must
// agree on. It knows neither modes nor states nor approvals, so it is the same before and after a review; take it of
// Document.Approved for the part that is exposed.
type Signature struct {
	SchemaVersion int                  `json:"schemaVersion"`
	Service       string               `json:"service"` // id; in no digest of its own, operation ids begin with it
	Digest        string               `json:"digest"`  // of operations
	Operations    []OperationSignature `json:"operations"`
}

// OperationSignature is the fingerprint of one operation. A digest is empty where there is nothing to digest.
type OperationSignature struct {
	ID                 string `json:"id"`
	PublicName         string `json:"publicName"`         // the tool name callers use
	InputSchemaDigest  string `json:"inputSchemaDigest"`  // of what the schema means to a machine
	OutputSchemaDigest string `json:"outputSchemaDigest"` // likewise
	EffectDigest       string `json:"effectDigest"`       // of effect, idempotency, retries, confirmation and pagination, as they are without an approval
	ContractDigest     string `json:"contractDigest"`
	TextDigest         string `json:"textDigest"`
}

// Signature returns the signature of all operations of d, by id.
func (d Document) Signature() Signature {
	operations := slices.Clone(d.Operations)
	sortOperations(operations)
	s := Signature{SchemaVersion: SchemaVersion, Service: d.Service.ID, Operations: []OperationSignature{}}
	for _, o := range operations {
		s.Operations = append(s.Operations, OperationSignature{
			ID:                 o.ID,
			PublicName:         o.MCP.ToolName,
			InputSchemaDigest:  schemaDigest(o.Input.Schema),
			OutputSchemaDigest: schemaDigest(o.Output.Schema),
			EffectDigest:       o.effectDigest(),
			ContractDigest:     o.ContractDigest,
			TextDigest:         o.TextDigest,
		})
	}
	s.Digest = digestOf(s.Operations)
	return s
}

// effectDigest covers the posture that holds without an approval; words, which bind nobody, are left out.
func (o Operation) effectDigest() string {
	o = o.withoutApproval()
	return digestOf(struct {
		Effect       Effect      `json:"effect"`
		Idempotency  Idempotency `json:"idempotency"`
		Retries      Retries     `json:"retries"`
		Confirmation bool        `json:"confirmation"`
		Human        bool        `json:"humanApproval"`
		Pagination   *Pagination `json:"pagination,omitempty"`
	}{o.Effect, o.Idempotency, o.Retries, o.Confirmation.Required, o.Confirmation.HumanApproval, o.Pagination})
}

func schemaDigest(raw canon.Raw) string {
	key := sha256.Sum256(raw)
	place := &schemaDigests[binary.LittleEndian.Uint64(key[:])%uint64(len(schemaDigests))]
	if known := place.Load(); known != nil && known.schema == key {
		return known.digest
	}
	node, err := canon.Parse(raw)
	if err != nil {
		return ""
	}
	digest := canon.Digest(schema.Contract(node))
	place.Store(&digestedSchema{key, digest})
	return digest
}

// schemaDigests holds digests that were asked for: a build signs an operation for the whole surface, for its exposed part and for its capability. One
// takes the place of another, which bounds it.
var schemaDigests [1 << 14]atomic.Pointer[digestedSchema]

type digestedSchema struct {
	schema [sha256.Size]byte // digest of its text
	digest string            // of what it means
}

// digestOf digests a value of this package; one that cannot be written has no digest.
func digestOf(v any) string {
	digest, _ := canon.DigestValue(v)
	return digest
}
