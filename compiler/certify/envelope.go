package certify

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// PayloadType is the type of what is signed: an in-toto statement.
const PayloadType = "application/vnd.in-toto+json"

// Envelope is a DSSE envelope whose form was checked. Nothing it holds is proven by that.
type Envelope struct {
	payload    []byte
	signatures []signature
}

type signature struct {
	keyID string // a hint
	sig   []byte
}

// Refusal is why something is not trusted: the rule is the reason's code.
type Refusal struct {
	Rule    string // of Rules
	Message string
	Hint    string
}

func (r *Refusal) Error() string { return r.Message }

// refuse returns a refusal for a reason.
func refuse(rule diag.Rule, format string, args ...any) *Refusal {
	return &Refusal{rule.ID, fmt.Sprintf(format, args...), rule.Hint}
}

// DecodeEnvelope reads an envelope, and refuses whatever two readers could read differently: repeated, unknown or missing members, bytes behind it,
// base64 in any spelling but the standard one with padding, a signature that is none.
func DecodeEnvelope(data []byte) (Envelope, *Refusal) {
	var e dsse.Envelope
	if err := strict(data, &e); err != nil {
		return Envelope{}, refuse(envelopeMalformed, "the envelope cannot be read: %v", err)
	}
	if e.PayloadType != PayloadType {
		return Envelope{}, refuse(payloadTypeUnknown, "the payload is of type %q, which is not known; it is %s", e.PayloadType, PayloadType)
	}
	payload, err := decodeBase64(e.Payload)
	if err != nil {
		return Envelope{}, refuse(envelopeMalformed, "the payload of the envelope: %v", err)
	}
	if len(payload) == 0 || len(e.Signatures) == 0 {
		return Envelope{}, refuse(envelopeMalformed, "the envelope has no payload, or no signature")
	}
	out := Envelope{payload: payload}
	for i, s := range e.Signatures {
		sig, err := decodeBase64(s.Sig)
		if err != nil {
			return Envelope{}, refuse(envelopeMalformed, "signature %d of the envelope: %v", i+1, err)
		}
		if len(sig) != 64 {
			return Envelope{}, refuse(envelopeMalformed, "signature %d of the envelope has %d bytes, and an Ed25519 signature has 64", i+1, len(sig))
		}
		out.signatures = append(out.signatures, signature{s.KeyID, sig})
	}
	return out, nil
}

// decodeBase64 reads the one standard spelling of some bytes.
func decodeBase64(text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("it is no standard base64 with padding: %w", err)
	}
	if base64.StdEncoding.EncodeToString(data) != text { // which has no line ends and no bits left over
		return nil, fmt.Errorf("it is no standard base64 in its one spelling")
	}
	return data, nil
}

// Encode returns the envelope as its file.
func (e Envelope) Encode() ([]byte, error) {
	file := dsse.Envelope{PayloadType: PayloadType, Payload: base64.StdEncoding.EncodeToString(e.payload)}
	for _, s := range e.signatures {
		file.Signatures = append(file.Signatures, dsse.Signature{KeyID: s.keyID, Sig: base64.StdEncoding.EncodeToString(s.sig)})
	}
	return canon.Encode(file)
}

// KeyIDs are the keys that the envelope says it is signed by, which is a hint and no proof.
func (e Envelope) KeyIDs() []string {
	var ids []string
	for _, s := range e.signatures {
		ids = append(ids, s.keyID)
	}
	return ids
}

// Payload is what is signed.
func (e Envelope) Payload() []byte { return bytes.Clone(e.payload) }

// SignedBy reports whether one of the signatures is of this key.
func (e Envelope) SignedBy(key PublicKey) bool {
	message := dsse.PAE(PayloadType, e.payload)
	for _, s := range e.signatures {
		if key.verifies(message, s.sig) {
			return true
		}
	}
	return false
}

// Sign returns an envelope over payload with a signature of each key.
func Sign(ctx context.Context, payload []byte, keys ...PrivateKey) (Envelope, error) {
	e := Envelope{payload: payload}
	return e.With(ctx, keys...)
}

// With returns the envelope with the signatures of more keys behind those that it has. A key that has signed it is an error.
func (e Envelope) With(ctx context.Context, keys ...PrivateKey) (Envelope, error) {
	signed := Envelope{payload: e.payload, signatures: append([]signature(nil), e.signatures...)}
	var signers []dsse.Signer
	seen := map[string]bool{}
	for _, k := range keys {
		id := k.public.ID()
		if seen[id] || e.SignedBy(k.public) {
			return Envelope{}, fmt.Errorf("the key %s signs it already", ShortID(id))
		}
		seen[id] = true
		signers = append(signers, k)
	}
	signer, err := dsse.NewEnvelopeSigner(signers...)
	if err != nil {
		return Envelope{}, fmt.Errorf("sign: %w", err)
	}
	made, err := signer.SignPayload(ctx, PayloadType, e.payload)
	if err != nil {
		return Envelope{}, fmt.Errorf("sign: %w", err)
	}
	for _, s := range made.Signatures {
		sig, err := decodeBase64(s.Sig)
		if err != nil {
			return Envelope{}, fmt.Errorf("sign: %w", err)
		}
		signed.signatures = append(signed.signatures, signature{s.KeyID, sig})
	}
	return signed, nil
}

// ShortID is the beginning of a key's identity, for people; nothing is decided by it.
func ShortID(id string) string {
	const digits = 16
	if len(id) <= digits {
		return id
	}
	return strings.ToValidUTF8(id[:digits], "") + "…"
}
