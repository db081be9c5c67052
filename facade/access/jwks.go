package access

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"slices"

	"anvil/compiler/canon"
)

const (
	maxAnswer = 1 << 20 // bytes of metadata or keys
	maxKeys   = 100     // of a JWKS that are looked at
	minRSA    = 2048    // bits
	maxRSA    = 8192
)

// fetchKeys asks an issuer for its metadata, and the place named there for the keys.
func fetchKeys(ctx context.Context, client *http.Client, issuer string) ([]key, error) {
	candidates, err := places(issuer)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, place := range candidates {
		metadata, err := getObject(ctx, client, place)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if metadata.Get("issuer").Text() != issuer {
			return nil, fmt.Errorf("%s is the metadata of another issuer; give the issuer as it calls itself", place)
		}
		at := metadata.Get("jwks_uri").Text()
		if at == "" {
			problems = append(problems, fmt.Errorf("%s names no jwks_uri", place))
			continue
		}
		if u, err := url.Parse(at); err != nil || u.Host == "" || u.User != nil || !secure(u) {
			return nil, fmt.Errorf("the jwks_uri in %s is no https URL", place)
		}
		set, err := getObject(ctx, client, at)
		if err != nil {
			return nil, err
		}
		return parseKeys(set)
	}
	return nil, errors.Join(problems...)
}

func getObject(ctx context.Context, client *http.Client, at string) (*canon.Node, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered with HTTP status %d", at, response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", at, err)
	}
	n, err := canon.Parse(body)
	if len(body) > maxAnswer || err != nil || !n.IsObject() || n.Repeats() {
		return nil, fmt.Errorf("%s is no JSON object of at most %d bytes in which no member is given twice", at, maxAnswer)
	}
	return n, nil
}

// parseKeys reads those keys of a JWKS (RFC 7517) that signatures are verified with here; the others are for somebody else.
func parseKeys(set *canon.Node) ([]key, error) {
	items := set.Get("keys").Elements()
	var keys []key
	for _, jwk := range items[:min(len(items), maxKeys)] {
		k := parseKey(jwk)
		stated, use := jwk.Get("alg"), jwk.Get("use")
		if k.public == nil || stated != nil && stated.Text() != k.algorithm || use != nil && use.Text() != "sig" {
			continue
		}
		if ops := jwk.Get("key_ops"); ops != nil && !slices.ContainsFunc(ops.Elements(), func(n *canon.Node) bool { return n.Text() == "verify" }) {
			continue
		}
		k.id = jwk.Get("kid").Text()
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("the JWKS has no key for RS256 (of 2048 to 8192 bits), ES256 or EdDSA (Ed25519)")
	}
	return keys, nil
}

// parseKey reads the public key; its public is nil where it is none that is used.
func parseKey(jwk *canon.Node) key {
	number := func(name string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(jwk.Get(name).Text())
		if err != nil {
			return nil
		}
		return b
	}
	switch kind, curve := jwk.Get("kty").Text(), jwk.Get("crv").Text(); {
	case kind == "RSA":
		return key{algorithm: "RS256", public: rsaKey(number("n"), number("e"))}
	case kind == "EC" && curve == "P-256":
		x, y := number("x"), number("y")
		if len(x) != 32 || len(y) != 32 {
			return key{}
		}
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			return key{}
		}
		return key{algorithm: "ES256", public: public}
	case kind == "OKP" && curve == "Ed25519":
		if x := number("x"); len(x) == ed25519.PublicKeySize {
			return key{algorithm: "EdDSA", public: ed25519.PublicKey(x)}
		}
	}
	return key{}
}

func rsaKey(modulus, exponent []byte) crypto.PublicKey {
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent)
	if n.BitLen() < minRSA || n.BitLen() > maxRSA || n.Bit(0) == 0 || e.BitLen() > 31 || e.Int64() < 3 || e.Bit(0) == 0 {
		return nil
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}
}
