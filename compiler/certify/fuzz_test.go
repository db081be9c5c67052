package certify_test

import (
	"bytes"
	"io/fs"
	"testing"

	"anvil/compiler/certify"
)

// FuzzDecodeEnvelope reads any bytes as an envelope and what it is over: a refusal with a reason, or an envelope that comes out the same when it is written
// and read again. Nothing but the bytes that ada signed is ever hers.
func FuzzDecodeEnvelope(f *testing.F) {
	s := newScene(f)
	good := s.request.Pack.Certificates[certify.EnvelopeFile]
	f.Add(good)
	f.Add(signedBytes(f, "x", s.ada))
	f.Add(bytes.Replace(good, []byte(`"signatures"`), []byte(`"signatures":[],"signatures"`), 1))
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"eA==","signatures":[{"keyid":"","sig":""}]}`))
	e, refused := certify.DecodeEnvelope(good)
	if refused != nil {
		f.Fatal(refused)
	}
	signed := e.Payload()
	f.Fuzz(func(t *testing.T, data []byte) {
		e, refused := certify.DecodeEnvelope(data)
		if refused != nil {
			if _, known := certify.Rules.Find(refused.Rule); !known || refused.Message == "" {
				t.Fatalf("a refusal without a reason: %+v", refused)
			}
			return
		}
		text, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, refused := certify.DecodeEnvelope(text)
		if refused != nil || !bytes.Equal(again.Payload(), e.Payload()) || len(again.KeyIDs()) != len(e.KeyIDs()) {
			t.Fatalf("another one comes back: %v", refused)
		}
		if e.SignedBy(s.ada.Public()) && !bytes.Equal(e.Payload(), signed) && string(e.Payload()) != "x" {
			t.Fatalf("%q is signed", e.Payload())
		}
		if c, refused := certify.Certified(e); refused == nil && c.Serial < 1 {
			t.Fatalf("a certification with serial %d", c.Serial)
		}
	})
}

// FuzzDecodeTrust reads any bytes as a trust file: an error, or a file with a key.
func FuzzDecodeTrust(f *testing.F) {
	ada := key(f, 'a').Public()
	f.Add([]byte("schemaVersion: 1\nminimumSerial: 2\nserials: {refunds: 3}\nkeys:\n" + entryOf("ada", ada, "certify", ", notBefore: 2026-01-01, notAfter: 2027-01-01, revokedSince: 2026-06-01")))
	f.Add([]byte(`{"schemaVersion":1,"keys":[{"name":"ada","roles":["certify"],"path":"ada.pub"}],"policies":[]}`))
	f.Add([]byte("keys: [&a {}, *a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		trust, err := certify.DecodeTrust(data, func(path string) ([]byte, error) {
			if path == "ada.pub" {
				return ada.PEM(), nil
			}
			return nil, fs.ErrNotExist
		})
		if err != nil {
			return
		}
		s := certify.Verify(certify.Request{Pack: emptyPack, Trust: trust, Require: 1, Now: day0})
		if s.Holds() {
			t.Fatal("a pack without a certificate holds")
		}
	})
}

// FuzzDecode reads any bytes as certification.json: an error, or one whose own bytes are stable.
func FuzzDecode(f *testing.F) {
	c := made(f, certify.Inputs{Pack: refundsPack(f)})
	c.Tools, c.Gate.Rules, c.Gate.Clients, c.NonClaims = c.Tools[:1], c.Gate.Rules[:1], c.Gate.Clients[:1], c.NonClaims[:1] // small inputs are tried sooner
	good, err := c.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"schemaVersion":1,"level":"static_passed","serial":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := certify.Decode(data)
		if err != nil {
			return
		}
		first, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := certify.Decode(first)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		if second, err := again.Encode(); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v: it comes out otherwise", err)
		}
	})
}

// FuzzPublicKey reads any bytes as a key: an error, or a key that is written in one way.
func FuzzPublicKey(f *testing.F) {
	f.Add(key(f, 'a').Public().PEM())
	f.Add([]byte("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n-----END PUBLIC KEY-----\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := certify.ParsePublicKey(data)
		if err != nil {
			return
		}
		again, err := certify.ParsePublicKey(k.PEM())
		if err != nil || again.ID() != k.ID() {
			t.Fatalf("%v, %s and %s", err, again.ID(), k.ID())
		}
	})
}
