package certify_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
)

func TestVerifyHolds(t *testing.T) {
	s := newScene(t)
	s.request.Pack, s.request.Require = certified(t, s.pack, s.cert, s.ada, s.bob), 2
	s.request.Live = func() (*surface.McpSurfaceSnapshot, error) { return refunds(t), nil }
	v := certify.Verify(s.request)
	if !v.Holds() || v.Level != certify.StaticPassed || len(v.Signers) != 2 || v.Newer(s.request.Trust) != 5 {
		t.Fatalf("%+v", v)
	}
	var steps []string
	for _, step := range v.Steps {
		steps = append(steps, step.Step+" "+string(step.Outcome))
	}
	want := []string{"signature ok", "key ok", "subject ok", "validity ok", "policy ok", "gate ok", "live ok"}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestVerifyRefuses is every way in which a certificate is not one, each with its own reason and at its own step.
func TestVerifyRefuses(t *testing.T) {
	s := newScene(t)
	r := s.request
	text := r.Pack.Certificates[certify.EnvelopeFile]
	sub := func(from, to string) certify.Request {
		other := strings.Replace(string(text), from, to, 1)
		if other == string(text) {
			t.Fatalf("the envelope does not hold %q", from)
		}
		return withEnvelope(r, []byte(other))
	}
	trusting := func(extra string, keys ...string) certify.Request {
		r := r
		r.Trust = trustIn(t, extra, keys...)
		return r
	}
	ada := s.ada.Public()
	at := func(now time.Time) certify.Request {
		r := r
		r.Now = now
		return r
	}
	require := func(n int, p *pack.Pack) certify.Request {
		r := r
		r.Require, r.Pack = n, p
		return r
	}
	otherServer := built(t, inputsOf(t, changed(t, refunds(t))))
	foreign := certified(t, otherServer, made(t, certify.Inputs{Pack: otherServer}), s.ada)
	failed := made(t, certify.Inputs{Pack: s.pack, Gate: gateOf(3)})
	older := made(t, certify.Inputs{Pack: s.pack, Serial: 4})
	unbelieved := certified(t, s.pack, s.cert, s.stolen)
	beside := *r.Pack
	beside.Certificates = map[string][]byte{certify.EnvelopeFile: text, certify.File: bytes.Replace(r.Pack.Certificates[certify.File], []byte(`"risk": {`), []byte(`"risk": {`+" "), 1)}
	besideOther := beside
	besideOther.Certificates = map[string][]byte{certify.EnvelopeFile: text, certify.File: bytes.Replace(r.Pack.Certificates[certify.File], []byte(`"value": "financial"`), []byte(`"value": "low"`), 1)}
	besideNone := beside
	besideNone.Certificates = map[string][]byte{certify.EnvelopeFile: text}
	tampered := with(r.Pack, pack.AIRFile, "air", append(bytes.Clone(r.Pack.Files[pack.AIRFile]), '\n'))
	more := with(r.Pack, "cli/x", "cli", []byte("x"))
	fewer := *r.Pack
	fewer.Manifest.Artifacts = fewer.Manifest.Artifacts[1:]
	metadataB := certified(t, otherServer, s.cert, s.ada) // statement of B's files, certification of A
	sigless := func(sig string) certify.Request {
		return envelope(t, r, func(e *dsse.Envelope) { e.Signatures[0].Sig = sig })
	}
	flipped := func(data []byte, i int) []byte {
		out := bytes.Clone(data)
		out[i] ^= 1
		return out
	}

	for _, tt := range []struct {
		name, step, reason string
		request            certify.Request
	}{
		{"no envelope", "signature", "certificate-missing", certify.Request{Pack: s.pack, Trust: r.Trust, Now: r.Now}},
		{"an envelope that is no JSON", "signature", "envelope-malformed", withEnvelope(r, []byte("{"))},
		{"bytes behind the envelope", "signature", "envelope-malformed", withEnvelope(r, append(bytes.Clone(text), "{}"...))},
		{"a repeated member", "signature", "envelope-malformed", sub(`"payloadType"`, `"payloadType": "application/vnd.in-toto+json", "payloadType"`)},
		{"a repeated payload", "signature", "envelope-malformed", sub(`"payload":`, `"payload": "eA==", "payload":`)},
		{"a member in other case", "signature", "envelope-malformed", sub(`"payloadType"`, `"payloadtype"`)},
		{"an unknown member", "signature", "envelope-malformed", sub(`"payloadType"`, `"cert": "", "payloadType"`)},
		{"another payload type", "signature", "payload-type-unknown", sub(certify.PayloadType, "application/json")},
		{"a payload type in other case", "signature", "payload-type-unknown", sub(certify.PayloadType, "application/vnd.in-toto+JSON")},
		{"no payload", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Payload = "" })},
		{"no signatures", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Signatures = nil })},
		{"an empty list of signatures", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Signatures = []dsse.Signature{} })},
		{"an empty signature", "signature", "envelope-malformed", sigless("")},
		{"a signature cut short", "signature", "envelope-malformed", sigless(base64.StdEncoding.EncodeToString(make([]byte, 63)))},
		{"base64 for addresses", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Payload = urlSafe(t, e.Payload) })},
		{"a signature in base64 for addresses", "signature", "envelope-malformed", sigless(base64.URLEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, 64)))},
		{"base64 without padding", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Signatures[0].Sig = strings.TrimRight(e.Signatures[0].Sig, "=") })},
		{"base64 with a line end", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Payload = e.Payload[:76] + "\n" + e.Payload[76:] })},
		{"base64 with a blank", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Signatures[0].Sig += " " })},
		{"base64 with bits left over", "signature", "envelope-malformed", envelope(t, r, func(e *dsse.Envelope) { e.Signatures[0].Sig = leftOver(t, e.Signatures[0].Sig) })},
		{"a flipped byte in the payload", "signature", "signature-untrusted", envelope(t, r, func(e *dsse.Envelope) {
			payload, _ := base64.StdEncoding.DecodeString(e.Payload)
			e.Payload = base64.StdEncoding.EncodeToString(flipped(payload, len(payload)/2))
		})},
		{"a flipped byte in the signature", "signature", "signature-untrusted", envelope(t, r, func(e *dsse.Envelope) {
			sig, _ := base64.StdEncoding.DecodeString(e.Signatures[0].Sig)
			e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(flipped(sig, 40))
		})},
		{"a signature over the payload alone", "signature", "signature-untrusted", envelope(t, r, func(e *dsse.Envelope) {
			payload, _ := base64.StdEncoding.DecodeString(e.Payload)
			sig, _ := key(t, 'a').Sign(context.Background(), payload)
			e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(sig)
		})},
		{"a key that nobody trusts", "signature", "signature-untrusted", require(1, unbelieved)},
		{"one that says it is a trusted key", "signature", "signature-untrusted", envelope(t, require(1, unbelieved), func(e *dsse.Envelope) { e.Signatures[0].KeyID = ada.ID() })},
		{"a signature named after another trusted key", "signature", "keyid-contradicts", envelope(t, r, func(e *dsse.Envelope) { e.Signatures[0].KeyID = s.bob.Public().ID() })},
		{"a predicate of another kind", "signature", "predicate-unknown", s.restated(t, certify.PredicateType, "https://slsa.dev/provenance/v1")},
		{"a predicate of a later major", "signature", "predicate-unknown", s.restated(t, certify.PredicateType, "urn:anvil:certification:2")},
		{"a predicate of a version that begins alike", "signature", "predicate-unknown", s.restated(t, certify.PredicateType, "urn:anvil:certification:10")},
		{"another statement", "signature", "statement-malformed", s.restated(t, "in-toto.io/Statement/v1", "in-toto.io/Statement/v2")},
		{"a statement with a repeated member", "signature", "statement-malformed", s.restated(t, `"_type":`, `"_type":"x","_type":`)},
		{"a certification with a repeated member", "signature", "statement-malformed", s.restated(t, `"serial":5`, `"serial":5,"serial":9`)},
		{"a statement with bytes behind it", "signature", "statement-malformed", s.restated(t, `"urn:anvil:certification:1",`, `"urn:anvil:certification:1"} {`)},
		{"a statement about nothing", "signature", "subjects-missing", withEnvelope(r, signedBytes(t, `{"_type":"https://in-toto.io/Statement/v1","subject":[],"predicateType":"urn:anvil:certification:1","predicate":{}}`, s.ada))},
		{"a truncated digest", "signature", "statement-malformed", s.restated(t, strings.TrimPrefix(s.pack.Manifest.Digest, "sha256:"), strings.TrimPrefix(s.pack.Manifest.Digest, "sha256:")[:16])},
		{"a digest of another kind", "signature", "statement-malformed", s.restated(t, `{"sha256":"`, `{"md5":"x","sha256":"`)},
		{"a subject given twice", "signature", "statement-malformed", s.restated(t, `"subject":[`, `"subject":[{"digest":{"sha256":"`+strings.Repeat("0", 64)+`"},"name":"air.yaml"},`)},

		{"the right key in a wrong role", "key", "key-role-missing", trusting("", entryOf("ada", ada, "approve, gate", ""))},
		{"a key before its time", "key", "key-out-of-time", trusting("", entryOf("ada", ada, "certify", ", notBefore: 2026-12-01"))},
		{"a key after its time", "key", "key-out-of-time", trusting("", entryOf("ada", ada, "certify", ", notAfter: 2026-11-29"))},
		{"a key whose time is over by now", "key", "key-out-of-time", func() certify.Request {
			r := trusting("", entryOf("ada", ada, "certify", ", notAfter: 2026-12-01"))
			r.Now = day0.AddDate(0, 0, 5)
			return r
		}()},
		{"a revoked key", "key", "key-revoked", trusting("", entryOf("ada", ada, "certify", ", revokedSince: 2026-11-30T12:30:00Z"))},
		{"a certificate dated behind the revocation of its key", "key", "key-revoked", trusting("", entryOf("ada", ada, "certify", ", revokedSince: 2026-11-01"))},
		{"one key of two", "key", "signatures-too-few", require(2, r.Pack)},
		{"one key twice", "key", "signatures-too-few", envelope(t, require(2, r.Pack), func(e *dsse.Envelope) { e.Signatures = append(e.Signatures, e.Signatures[0]) })},
		{"one key twice under two names", "key", "signatures-too-few", envelope(t, require(2, r.Pack), func(e *dsse.Envelope) {
			e.Signatures = append(e.Signatures, dsse.Signature{KeyID: "bob", Sig: e.Signatures[0].Sig})
		})},
		{"a trusted key beside one that nobody trusts", "key", "signatures-too-few", require(2, certified(t, s.pack, s.cert, s.ada, s.stolen))},
		{"two keys, one in a wrong role", "key", "key-role-missing", func() certify.Request {
			r := require(2, certified(t, s.pack, s.cert, s.ada, s.bob))
			r.Trust = trustIn(t, "", entryOf("ada", ada, "certify", ""), entryOf("bob", s.bob.Public(), "gate", ""))
			return r
		}()},

		{"an envelope of another server", "subject", "subject-mismatch", withEnvelope(r, foreign.Certificates[certify.EnvelopeFile])},
		{"a certificate of A with the metadata of B", "subject", "subject-mismatch", require(1, metadataB)},
		{"a changed file, sealed again", "subject", "subject-mismatch", require(1, tampered)},
		{"a file more", "subject", "subject-mismatch", require(1, more)},
		{"a file fewer", "subject", "subject-mismatch", require(1, &fewer)},
		{"a pack that does not verify", "subject", "subject-mismatch", func() certify.Request {
			r := r
			r.Findings = []diag.Finding{pack.NotReproduced.Finding("file/air.yaml", "forged").Sealed()}
			return r
		}()},
		{"a certification.json that says something else", "subject", "certification-differs", require(1, &besideOther)},
		{"no certification.json", "subject", "certification-differs", require(1, &besideNone)},

		{"an expired certificate", "validity", "certificate-expired", at(day0.AddDate(0, 0, 90))},
		{"one of the future", "validity", "certificate-not-yet-valid", at(day0.Add(-time.Hour))},
		{"an older one of the same pack", "validity", "serial-rolled-back", func() certify.Request {
			r := require(1, certified(t, s.pack, older, s.ada))
			r.Trust = trustIn(t, "serials: {refunds: 5}\n", entryOf("ada", ada, "certify", ""))
			return r
		}()},
		{"one below the minimum", "validity", "serial-rolled-back", trusting("minimumSerial: 6\n", entryOf("ada", ada, "certify", ""))},
		{"a policy that nobody lists", "policy", "policy-unknown", trusting("policies: ['"+canon.Digest(nil)+"']\n", entryOf("ada", ada, "certify", ""))},
		{"a policy that its digest is not of", "policy", "policy-unknown", both(t, s, `"clients":[],"digest"`, `"clients":["bedrock"],"digest"`)},
		{"a policy of another kind", "policy", "policy-unknown", both(t, s, `"id":"anvil-static/1"`, `"id":"anvil-static/2"`)},
		{"a certification that failed", "gate", "certification-failed", require(1, certified(t, s.pack, failed, s.ada))},
		{"a check that failed in one that passed", "gate", "certification-failed", both(t, s, `"id":"files-verify","outcome":"pass"`, `"id":"files-verify","outcome":"fail"`)},
		{"a check that was not applicable", "gate", "certification-failed", both(t, s, `"id":"approvals-in-force","outcome":"pass"`, `"id":"approvals-in-force","outcome":"not_applicable"`)},
		{"a check left out", "signature", "statement-malformed", both(t, s, `"id":"gate","outcome":"pass"`, `"id":"gait","outcome":"pass"`)},
		{"a gate that refuses", "gate", "certified-gate-refused", both(t, s, `"outcome":"pass","rules":[`, `"outcome":"fail","rules":[`)},
		{"a rule that refuses", "gate", "certified-gate-refused", both(t, s, `"id":"no-tools","worst":"pass"`, `"id":"no-tools","worst":"error"`)},
		{"a rule left out", "gate", "certified-gate-refused", both(t, s, `"id":"no-tools"`, `"id":"yes-tools"`)},
		{"a server that shows something else", "live", "live-surface-differs", func() certify.Request {
			r := r
			r.Live = func() (*surface.McpSurfaceSnapshot, error) { return changed(t, refunds(t)), nil }
			return r
		}()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := certify.Verify(tt.request)
			if v.Holds() {
				t.Fatal("it holds")
			}
			if got := codes(v); got[0] != tt.reason {
				t.Errorf("reason %v, want %s: %s", got, tt.reason, v.Findings[0].Message)
			}
			for i, step := range v.Steps {
				want := certify.StepSkipped
				if failed := slices.IndexFunc(v.Steps, func(s certify.VerifyStep) bool { return s.Step == tt.step }); i < failed {
					want = certify.StepOK
				} else if i == failed {
					want = certify.StepFailed
				}
				if step.Outcome != want || (step.Outcome == certify.StepFailed) != (step.Reason == tt.reason) {
					t.Errorf("%+v, want %s", step, want)
				}
			}
			if v.Findings[0].Hint == "" || v.Newer(tt.request.Trust) != 0 {
				t.Errorf("%+v: says not what to do, or that it is to be remembered", v.Findings[0])
			}
		})
	}
	if v := certify.Verify(require(1, &beside)); !v.Holds() { // spelled in another way, it says the same
		t.Errorf("%v", codes(v))
	}
}

func TestVerifyWithoutAnswer(t *testing.T) {
	s := newScene(t)
	gone := errors.New("gone")
	s.request.Live = func() (*surface.McpSurfaceSnapshot, error) { return nil, gone }
	if v := certify.Verify(s.request); v.Holds() || !errors.Is(v.Err, gone) || v.Steps[6].Outcome != certify.StepFailed {
		t.Errorf("%+v", v)
	}
}

func TestTheServersVersionAloneMayMove(t *testing.T) {
	s := newScene(t)
	s.request.Live = func() (*surface.McpSurfaceSnapshot, error) {
		live := *refunds(t)
		live.Digests.Identity = canon.Digest(nil)
		return &live, nil
	}
	if v := certify.Verify(s.request); !v.Holds() || !strings.Contains(v.Steps[6].Message, "is another") {
		t.Errorf("%+v", v.Steps)
	}
}
