package certify_test

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
)

// day0 is when everything in these tests happens, unless they say otherwise.
var day0 = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func refunds(t testing.TB) *surface.McpSurfaceSnapshot {
	t.Helper()
	s, err := surface.ReadFile("../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// approve is the approval of a tool, given yesterday; expires may be "".
func approve(t testing.TB, s *surface.McpSurfaceSnapshot, tool, expires string) air.Approval {
	t.Helper()
	for _, o := range adopt.Bridge(s).Operations {
		if o.MCP.ToolName == tool {
			return air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", Reason: "reads only", Expires: expires,
				ContractDigest: o.ContractDigest, TextDigest: o.TextDigest}
		}
	}
	t.Fatalf("no tool %s", tool)
	return air.Approval{}
}

// inputsOf are those of a facade's pack of the example server, with two tools approved.
func inputsOf(t testing.TB, s *surface.McpSurfaceSnapshot) emit.Inputs {
	return emit.Inputs{
		Snapshot: s, Mode: pack.Facade, Upstream: &pack.Upstream{Transport: "stdio", Command: "refunds"},
		Approvals: []air.Approval{approve(t, s, "get_refund", ""), approve(t, s, "list_refunds", "")},
	}
}

// built is a pack that was written to a folder and opened.
func built(t testing.TB, in emit.Inputs) *pack.Pack {
	t.Helper()
	b, err := emit.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "pack")
	if err := atomicfile.WriteDir(context.Background(), dir, b.Files, false); err != nil {
		t.Fatal(err)
	}
	p, err := pack.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func refundsPack(t testing.TB) *pack.Pack { return built(t, inputsOf(t, refunds(t))) }

// with returns the pack with another file, sealed as a forger would.
func with(p *pack.Pack, path, kind string, text []byte) *pack.Pack {
	forged := *p
	forged.Files = maps.Clone(p.Files)
	forged.Files[path] = text
	forged.Manifest.Artifacts = slices.DeleteFunc(slices.Clone(p.Manifest.Artifacts), func(a pack.Artifact) bool { return a.Path == path })
	forged.Manifest.Artifacts = append(forged.Manifest.Artifacts, pack.Artifact{Path: path, Kind: kind, Digest: canon.Digest(text)})
	return &forged
}

func made(t testing.TB, in certify.Inputs) certify.Certification {
	t.Helper()
	if in.At.IsZero() {
		in.At = day0
	}
	if in.Serial == 0 {
		in.Serial = 1
	}
	in.Version = "0.1.0"
	c, err := certify.Certify(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// key is the same key for the same letter.
func key(t testing.TB, letter byte) certify.PrivateKey {
	t.Helper()
	k, err := certify.NewKey(bytes.NewReader(bytes.Repeat([]byte{letter}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// certified puts a certificate beside a pack, signed by the keys.
func certified(t testing.TB, p *pack.Pack, c certify.Certification, keys ...certify.PrivateKey) *pack.Pack {
	t.Helper()
	payload, err := certify.Payload(c, p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := certify.Sign(context.Background(), payload, keys...)
	if err != nil {
		t.Fatal(err)
	}
	out := *p
	out.Certificates = map[string][]byte{}
	if out.Certificates[certify.EnvelopeFile], err = e.Encode(); err != nil {
		t.Fatal(err)
	}
	if out.Certificates[certify.File], err = c.Encode(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// trustIn reads a trust file that lists keys as text; extra is YAML at the top.
func trustIn(t testing.TB, extra string, keys ...string) certify.Trust {
	t.Helper()
	text := "schemaVersion: 1\n" + extra + "keys:\n"
	for _, k := range keys {
		text += k
	}
	trust, err := certify.DecodeTrust([]byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return trust
}

// entryOf is a key of a trust file; extra is more members, as flow YAML with a comma before.
func entryOf(name string, k certify.PublicKey, roles, extra string) string {
	return "  - {name: " + name + ", roles: [" + roles + "], public: " + string(canon.Quote(string(k.PEM()))) + extra + "}\n"
}

// codes are the rules of a verification's findings, and the outcomes of its steps.
func codes(v certify.Verification) (rules []string) {
	for _, f := range v.Findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

func accepted(t testing.TB, rule, until string) gate.Acceptance {
	t.Helper()
	day, err := time.Parse(gate.Day, until)
	if err != nil {
		t.Fatal(err)
	}
	return gate.Acceptance{Rule: rule, Reason: "known", Until: day}
}

// gateOf is a policy with a limit on tools.
func gateOf(maxTools int) gate.Options { return gate.Options{MaxTools: maxTools} }

// emptyPack is one that nobody certified.
var emptyPack = &pack.Pack{Manifest: pack.Manifest{ID: "empty"}}
