package certify

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
)

// The types of PEM blocks that keys stand in.
const (
	privateBlock = "PRIVATE KEY" // PKCS#8
	publicBlock  = "PUBLIC KEY"  // SPKI
)

// PublicKey is an Ed25519 key that signatures are held against.
type PublicKey struct {
	spki []byte // DER
	key  ed25519.PublicKey
}

// ID is the key's identity: the SHA-256 of its SPKI bytes, in 64 hexadecimal digits.
func (k PublicKey) ID() string {
	sum := sha256.Sum256(k.spki)
	return hex.EncodeToString(sum[:])
}

// PEM returns the key as text.
func (k PublicKey) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: k.spki})
}

// verifies reports whether sig is this key's signature of message. A signature whose first half is of low order proves nothing of the message.
func (k PublicKey) verifies(message, sig []byte) bool {
	return len(sig) == ed25519.SignatureSize && checkPoint(sig[:32]) == nil && ed25519.Verify(k.key, message, sig)
}

// ParsePublicKey reads one Ed25519 key in SPKI PEM. A key that is no point of the curve, or one of low order, is refused.
func ParsePublicKey(text []byte) (PublicKey, error) {
	der, err := onlyBlock(text, publicBlock)
	if err != nil {
		return PublicKey{}, err
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return PublicKey{}, fmt.Errorf("read public key: %w", err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return PublicKey{}, errors.New("read public key: it is no Ed25519 key; make one with `anvil keys new`")
	}
	return publicKey(key)
}

func publicKey(key ed25519.PublicKey) (PublicKey, error) {
	if err := checkPoint(key); err != nil {
		return PublicKey{}, fmt.Errorf("the Ed25519 key cannot be used: %w", err)
	}
	spki, err := x509.MarshalPKIXPublicKey(key)
	return PublicKey{spki, key}, err
}

// onlyBlock returns the content of the one PEM block that text holds, and nothing beside it.
func onlyBlock(text []byte, kind string) ([]byte, error) {
	block, rest := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("there is no PEM block: a key begins with -----BEGIN %s-----", kind)
	case block.Type != kind:
		return nil, fmt.Errorf("the PEM block is %q, and a %q is needed", block.Type, kind)
	case len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN")):
		return nil, errors.New("there is more than one PEM block without headers; give the key alone")
	}
	return block.Bytes, nil
}

// PrivateKey signs.
type PrivateKey struct {
	key    ed25519.PrivateKey
	public PublicKey
}

// NewKey makes a key from random bytes.
func NewKey(random io.Reader) (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(random)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("make a key: %w", err)
	}
	return privateKey(key)
}

func privateKey(key ed25519.PrivateKey) (PrivateKey, error) {
	public, err := publicKey(key.Public().(ed25519.PublicKey))
	return PrivateKey{key, public}, err
}

// Public is the half of the key that others verify with.
func (k PrivateKey) Public() PublicKey { return k.public }

// PEM returns the key as PKCS#8 text. It is a secret.
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der}), nil
}

// ParsePrivateKey reads one Ed25519 key in PKCS#8 PEM, without a passphrase.
func ParsePrivateKey(text []byte) (PrivateKey, error) {
	der, err := onlyBlock(text, privateBlock)
	if err != nil {
		return PrivateKey{}, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return PrivateKey{}, errors.New("read private key: it is no PKCS#8 key; make one with `anvil keys new`") // whose error may quote it
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return PrivateKey{}, errors.New("read private key: it is no Ed25519 key; make one with `anvil keys new`")
	}
	return privateKey(key)
}

// IsPrivate reports text that holds a private key of any kind, which others must not read.
func IsPrivate(text []byte) bool { return bytes.Contains(text, []byte(privateBlock+"-----")) }

// Sign is the signature of a message, for dsse.
func (k PrivateKey) Sign(_ context.Context, message []byte) ([]byte, error) {
	return ed25519.Sign(k.key, message), nil
}

// KeyID is the key's identity, for dsse.
func (k PrivateKey) KeyID() (string, error) { return k.public.ID(), nil }
