package certify_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
)

// The library that made the envelope, and the standard library alone, say the same of its signatures.
func TestOthersVerifyTheEnvelope(t *testing.T) {
	s := newScene(t)
	p := certified(t, s.pack, s.cert, s.ada, s.bob)
	var e dsse.Envelope
	if err := json.Unmarshal(p.Certificates[certify.EnvelopeFile], &e); err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewMultiEnvelopeVerifier(2, peer{t, s.ada.Public()}, peer{t, s.bob.Public()})
	if err != nil {
		t.Fatal(err)
	}
	accepted, payload, err := verifier.VerifyAndDecode(context.Background(), &e)
	if err != nil || len(accepted) != 2 {
		t.Fatalf("%d keys, %v", len(accepted), err)
	}
	var statement struct {
		Type          string `json:"_type"`
		PredicateType string
		Subject       []struct {
			Name   string
			Digest map[string]string
		}
	}
	if err := json.Unmarshal(payload, &statement); err != nil {
		t.Fatal(err)
	}
	if len(statement.Subject) != len(s.pack.Files)+1 || statement.Type != "https://in-toto.io/Statement/v1" || statement.PredicateType != certify.PredicateType {
		t.Errorf("%+v", statement)
	}
	if canonical, err := canon.Canonical(payload); err != nil || !bytes.Equal(canonical, payload) {
		t.Errorf("the statement is not canonical: %v", err)
	}
}

// peer verifies as any other program with the public key would.
type peer struct {
	t   *testing.T
	key certify.PublicKey
}

func (p peer) Public() crypto.PublicKey { return p.raw() }
func (p peer) KeyID() (string, error)   { return p.key.ID(), nil }
func (p peer) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(p.raw(), data, sig) {
		return errors.New("no")
	}
	return nil
}

func (p peer) raw() ed25519.PublicKey {
	block := bytes.Split(bytes.TrimSpace(p.key.PEM()), []byte("\n"))[1]
	der, err := base64.StdEncoding.DecodeString(string(block))
	if err != nil {
		p.t.Fatal(err)
	}
	return der[len(der)-32:] // SPKI of Ed25519 ends with the point (RFC 8410)
}
