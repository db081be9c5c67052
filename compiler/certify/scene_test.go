package certify_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/pack"
)

// scene is a certified pack and whoever trusts whom.
type scene struct {
	pack    *pack.Pack
	cert    certify.Certification
	ada     certify.PrivateKey
	bob     certify.PrivateKey
	stolen  certify.PrivateKey // in no trust file
	request certify.Request
}

func newScene(t testing.TB) scene {
	s := scene{pack: refundsPack(t), ada: key(t, 'a'), bob: key(t, 'b'), stolen: key(t, 's')}
	s.cert = made(t, certify.Inputs{Pack: s.pack, Serial: 5})
	trust := trustIn(t, "", entryOf("ada", s.ada.Public(), "certify", ""), entryOf("bob", s.bob.Public(), "certify, gate", ""))
	s.request = certify.Request{Pack: certified(t, s.pack, s.cert, s.ada), Trust: trust, Require: 1, Now: day0.Add(time.Hour), Version: "0.1.0"}
	return s
}

// envelope replaces the envelope of a request by what change makes of it.
func envelope(t testing.TB, r certify.Request, change func(e *dsse.Envelope)) certify.Request {
	t.Helper()
	var e dsse.Envelope
	if err := json.Unmarshal(r.Pack.Certificates[certify.EnvelopeFile], &e); err != nil {
		t.Fatal(err)
	}
	change(&e)
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return withEnvelope(r, text)
}

func withEnvelope(r certify.Request, text []byte) certify.Request {
	p := *r.Pack
	p.Certificates = map[string][]byte{certify.File: r.Pack.Certificates[certify.File], certify.EnvelopeFile: text}
	r.Pack = &p
	return r
}

// signedBytes is an envelope over any bytes by the key.
func signedBytes(t testing.TB, payload string, k certify.PrivateKey) []byte {
	t.Helper()
	e, err := certify.Sign(context.Background(), []byte(payload), k)
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// restated is the request with another statement, signed by a trusted key: what only who has the key can forge.
func (s scene) restated(t testing.TB, from, to string) certify.Request {
	t.Helper()
	payload, err := certify.Payload(s.cert, s.pack)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(payload), from, to, 1)
	if other == string(payload) {
		t.Fatalf("the statement does not hold %q", from)
	}
	return withEnvelope(s.request, signedBytes(t, other, s.ada))
}

// both is a request whose certificate and certification.json say something else in the same way, signed by a trusted key.
func both(t *testing.T, s scene, from, to string) certify.Request {
	t.Helper()
	r := s.restated(t, from, to)
	e, refused := certify.DecodeEnvelope(r.Pack.Certificates[certify.EnvelopeFile])
	if refused != nil {
		t.Fatal(refused)
	}
	n, err := canon.Parse(e.Payload())
	if err != nil {
		t.Fatal(err)
	}
	r.Pack.Certificates[certify.File] = n.Get("predicate").Raw
	return r
}

func urlSafe(t *testing.T, text string) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	other := base64.URLEncoding.EncodeToString(append(data, 0xfb, 0xff, 0xfe)) // sure to hold - and _
	if !strings.ContainsAny(other, "-_") {
		t.Fatal("no character that differs")
	}
	return other
}

// leftOver sets bits behind the last byte, which decoders ignore.
func leftOver(t *testing.T, text string) string {
	t.Helper()
	if !strings.HasSuffix(text, "==") {
		t.Fatal("no bits are left over")
	}
	i := len(text) - 3
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	other := text[:i] + string(alphabet[strings.IndexByte(alphabet, text[i])+1]) + "=="
	if data, err := base64.StdEncoding.DecodeString(other); err != nil || len(data) != 64 {
		t.Fatalf("the standard decoder refuses it by now: %v", err)
	}
	return other
}
