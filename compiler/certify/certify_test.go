package certify_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

func outcomes(c certify.Certification) map[string]certify.Outcome {
	all := map[string]certify.Outcome{}
	for _, check := range c.Checks {
		all[check.ID] = check.Outcome
	}
	return all
}

func TestCertifyAWholePack(t *testing.T) {
	p := refundsPack(t)
	c := made(t, certify.Inputs{Pack: p})
	want := map[string]certify.Outcome{
		"files-verify": certify.Pass, "rebuilds-from-itself": certify.Pass, "surface-signature-agrees": certify.Pass, "nothing-unapproved-exposed": certify.Pass,
		"approvals-in-force": certify.Pass, "gate": certify.Pass, "base-diff": certify.NotApplicable, "capture-stability": certify.NotRecorded,
	}
	if diff := cmp.Diff(want, outcomes(c)); diff != "" {
		t.Errorf("checks (-want +got)\n%s", diff)
	}
	if c.Level != certify.StaticPassed || c.Subject.Pack != p.Manifest.Digest || c.Subject.Snapshot != p.Manifest.Snapshot || len(c.NonClaims) < 4 {
		t.Errorf("level %s, subject %+v, %d non-claims", c.Level, c.Subject, len(c.NonClaims))
	}
	if len(c.Gate.Rules) != len(gate.Rules) || len(c.Gate.Clients) != len(profiles.All().Clients) {
		t.Errorf("%d rules of %d, %d clients of %d", len(c.Gate.Rules), len(gate.Rules), len(c.Gate.Clients), len(profiles.All().Clients))
	}
	for _, client := range c.Gate.Clients {
		if client.Confirmed == "" || client.Verdict == "" {
			t.Errorf("client %+v has no date or no outcome", client)
		}
	}
	for _, tool := range c.Tools {
		if len(tool.Safety.Effect.Evidence) == 0 || (tool.State == "approved") != (tool.Approval != nil) {
			t.Errorf("tool %+v has no evidence of its effect, or an approval that does not fit its state", tool)
		}
	}
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := certify.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := again.Encode(); err != nil || !bytes.Equal(text, second) {
		t.Errorf("encoding what was decoded gives other bytes: %v", err)
	}
}

// Every rule of the gate is evaluated, or says why one snapshot does not tell; evidence of the capture makes one more of them judged.
func TestEveryRuleIsEvaluated(t *testing.T) {
	p := refundsPack(t)
	left := func(in certify.Inputs) (ids []string) {
		in.Pack = p
		for _, o := range made(t, in).Gate.Rules {
			if o.Worst == "not_evaluated" {
				ids = append(ids, o.ID)
			}
			if (o.Worst == "not_evaluated") != (o.Why != "") {
				t.Errorf("%+v: what was not evaluated says why, and nothing else does", o)
			}
		}
		return ids
	}
	want := []string{"name-across-servers", "output-vs-observed", "page-size-below-count", "tool-shadowing"}
	if diff := cmp.Diff(want, left(certify.Inputs{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	evidence := &certify.CaptureEvidence{Snapshot: p.Manifest.Snapshot, Digest: canon.Digest(nil), Captures: 3, Pages: map[string]int{"tools/list": 1}}
	if got := left(certify.Inputs{Evidence: evidence}); slices.Contains(got, "page-size-below-count") || len(got) != len(want)-1 {
		t.Errorf("with page counts: %v", got)
	}
}

func TestSameInputsGiveTheSameBytes(t *testing.T) {
	p := refundsPack(t)
	first, err := made(t, certify.Inputs{Pack: p}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := day0.In(time.FixedZone("far", 9*3600)).Add(300 * time.Millisecond)
	second, err := made(t, certify.Inputs{Pack: refundsPack(t), At: elsewhere, Expires: day0.Add(certify.DefaultValidity)}).Encode()
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%v\n%s", err, cmp.Diff(string(first), string(second)))
	}
}

// changed is the surface without one tool and with another text of a second.
func changed(t *testing.T, s *surface.McpSurfaceSnapshot) *surface.McpSurfaceSnapshot {
	t.Helper()
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	n, err := canon.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[surface.Kind][][]byte{}
	for _, tool := range n.Get("tools").Elements() {
		raw := tool.Raw
		if tool.Get("name").Text() == "get_refund" {
			raw = bytes.Replace(raw, []byte(`"description": "`), []byte(`"description": "Formerly. `), 1)
		}
		if tool.Get("name").Text() != "delete_customer" {
			lists[surface.Tool] = append(lists[surface.Tool], raw)
		}
	}
	changed, err := surface.New(surface.Capture{Era: s.Era, ProtocolVersion: s.ProtocolVersion, Transport: s.Transport, ClientProfile: s.ClientProfile,
		Initialize: []byte(`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"refunds","version":"1.3.0"}},"capabilities":{"tools":{}}}`), Lists: lists})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestBaseDiffNamesTheApprovalsThatCoverIt(t *testing.T) {
	in := inputsOf(t, refunds(t))
	in.Base = changed(t, in.Snapshot)
	c := made(t, certify.Inputs{Pack: built(t, in)})
	if outcomes(c)["base-diff"] != certify.Pass || c.Base == nil || c.Base.Base != in.Base.Digest || c.Base.Worst == "" {
		t.Fatalf("%+v, %v", c.Base, c.Checks)
	}
	covered := map[string]int{}
	for _, f := range c.Base.Findings {
		covered[f.Covered]++
		if (f.Covered == "approval") != (f.Approval != nil) {
			t.Errorf("%+v: an approval exactly where one covers it", f)
		}
		if strings.HasPrefix(f.Subject, "tool/get_refund") && f.Covered != "approval" || f.Subject == "tool/delete_customer" && f.Covered != "unexposed" {
			t.Errorf("%+v", f)
		}
	}
	if covered["approval"] == 0 || covered["unexposed"] == 0 || covered["none"] == 0 {
		t.Errorf("covered: %v", covered)
	}
}

func TestChecksFail(t *testing.T) {
	s := refunds(t)
	other := func(in emit.Inputs, change func(*air.Approval)) *pack.Pack {
		in.Approvals = slices.Clone(in.Approvals)
		change(&in.Approvals[0])
		return built(t, in)
	}
	whole := refundsPack(t)
	metadata := func(from, to string) *pack.Pack {
		return with(whole, pack.MetadataJSON, "tools-metadata", bytes.Replace(whole.Files[pack.MetadataJSON], []byte(from), []byte(to), 1))
	}
	swapped := *whole
	swapped.Files = map[string][]byte{}
	for path, data := range whole.Files {
		swapped.Files[path] = append(bytes.Clone(data), ' ')
	}
	document, err := whole.Document()
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range document.Operations {
		if o.Approval != nil {
			bound := *o.Approval
			bound.TextDigest = canon.Digest(nil)
			document.Operations[i].Approval = &bound
		}
	}
	rebound, err := document.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, check, says string
		in                certify.Inputs
	}{
		{"a file that is not the sealed one", "files-verify", "is not the one that was sealed", certify.Inputs{Pack: &swapped}},
		{"a file that does not follow", "rebuilds-from-itself", `"tools-metadata.json" is not what the pack's own inputs give`, certify.Inputs{Pack: metadata(`"risk": "high"`, `"risk": "low"`)}},
		{"a contract that is another's", "surface-signature-agrees", "states another digest of", certify.Inputs{Pack: metadata(`"digest": "sha256:`, `"digest": "sha256:0`)}},
		{"a tool left out", "surface-signature-agrees", "lists 9 of 10", certify.Inputs{Pack: metadata(`"name": "create_refund"`, `"name": "made_up"`)}},
		{"a signature of something else", "surface-signature-agrees", "is not the surface signature of the operations", certify.Inputs{Pack: with(whole, pack.SignatureFile, "signature",
			bytes.Replace(whole.Files[pack.SignatureFile], []byte(`"digest": "sha256:`), []byte(`"digest": "sha256:0`), 1))}},
		{"an artifact that states another signature", "surface-signature-agrees", "states the surface signature", certify.Inputs{Pack: with(whole, "simulator.yaml", "simulator",
			[]byte("signature: "+canon.Digest(nil)+"\n"))}},
		{"a command line that leaves one out", "surface-signature-agrees", `cli leaves out "refunds.list_refunds"`, certify.Inputs{Pack: with(whole, "cli/commands.json", "cli",
			[]byte(`{"commands":[{"operation":"refunds.get_refund"}]}`))}},
		{"what is no data", "surface-signature-agrees", "cannot be read", certify.Inputs{Pack: with(whole, "cli/commands.json", "cli", []byte(`{`))}},
		{"a state that is not so", "nothing-unapproved-exposed", `has "refunds.approve_refund" as approved`, certify.Inputs{Pack: metadata(
			`"state": "review_required"`, `"state": "approved"`)}},
		{"a command of no approved operation", "nothing-unapproved-exposed", `cli/commands.json offers "refunds.cancel_refund"`, certify.Inputs{Pack: with(whole,
			"cli/commands.json", "cli", []byte(`{"commands":[{"operation":"refunds.cancel_refund","tool":"cancel_refund"}]}`))}},
		{"a capability of one", "nothing-unapproved-exposed", `offers "refunds.cancel_refund"`, certify.Inputs{Pack: with(whole,
			"capabilities/x.yaml", "capability", []byte("operationIds: [refunds.get_refund, refunds.cancel_refund]\n"))}},
		{"a skill that offers one", "nothing-unapproved-exposed", `skill/x/SKILL.md offers "refunds.cancel_refund"`, certify.Inputs{Pack: with(whole,
			"skill/x/SKILL.md", "skill", []byte("Operations: `refunds.get_refund`, `refunds.cancel_refund`\n"))}},
		{"something that anvil does not write yet", "nothing-unapproved-exposed", `posters/x.md offers "refunds.cancel_refund"`, certify.Inputs{Pack: with(whole,
			"posters/x.md", "poster", []byte("`refunds.get_refund`, `refunds.list_refunds`, `refunds.cancel_refund`\n"))}},
		{"a facade that exposes all", "nothing-unapproved-exposed", "expose more than what is approved", certify.Inputs{Pack: with(whole, pack.FacadeFile, "facade",
			bytes.Replace(whole.Files[pack.FacadeFile], []byte("expose: approved"), []byte("expose: all"), 1))}},
		{"nothing approved", "approvals-in-force", "nothing is approved, so there is nothing to certify", certify.Inputs{Pack: built(t, emit.Inputs{Snapshot: s, Mode: pack.Adopt})}},
		{"an approval that ended", "approvals-in-force", "expired on 2026-11-29", certify.Inputs{Pack: other(inputsOf(t, s), func(a *air.Approval) { a.Expires = "2026-11-29" })}},
		{"a text that nobody approved", "approvals-in-force", "lapses: the operation's text has changed since", certify.Inputs{Pack: with(whole, pack.AIRFile, "air", rebound)}},
		{"a policy that refuses the surface", "gate", "tool-budget refuses the surface", certify.Inputs{Pack: whole, Gate: gate.Options{MaxTools: 3}}},
		{"a client that refuses it", "gate", "not-strict refuses the surface", certify.Inputs{Pack: whole, Gate: gate.Options{Clients: []string{"openai-strict"}}}},
		{"captures that differ", "capture-stability", "tool/now differed", certify.Inputs{Pack: whole, Evidence: &certify.CaptureEvidence{
			Snapshot: whole.Manifest.Snapshot, Digest: canon.Digest(nil), Captures: 3, Differing: []string{"tool/now"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := made(t, tt.in)
			i := slices.IndexFunc(c.Checks, func(check certify.Check) bool { return check.ID == tt.check })
			if got := c.Checks[i]; got.Outcome != certify.Fail || !strings.Contains(got.Detail, tt.says) {
				t.Errorf("%s, want a failure that says %q", got, tt.says)
			}
			if hint := certify.FailedCheck(c.Checks[i], &pack.Pack{Dir: "my pack"}).Hint; hint == "" || strings.Contains(hint, "PACK") {
				t.Errorf("hint %q", hint)
			}
			if c.Level != certify.Failed || c.LevelAt(day0) != certify.Failed {
				t.Errorf("level %s", c.Level)
			}
		})
	}
}

// Words of the server's in what offers operations offer nothing, and neither do approved ones.
func TestWhatOffersApprovedOperationsPasses(t *testing.T) {
	p := with(refundsPack(t), "skill/x/SKILL.md", "skill", []byte("`refunds.get_refund`, `refunds.list_refunds`\n> see refunds.cancel_refund\nread api.example.com\n"))
	p = with(p, "cli/commands.json", "cli", []byte(`{"commands":[{"operation":"refunds.get_refund","description":"refunds.cancel_refund"},{"operation":"refunds.list_refunds"}]}`))
	p = with(p, "cli/refunds", "cli", []byte("#!/bin/sh\n"))
	got := outcomes(made(t, certify.Inputs{Pack: p}))
	if got["surface-signature-agrees"] != certify.Pass || got["nothing-unapproved-exposed"] != certify.Pass {
		t.Errorf("%v", got)
	}
}

func TestEvidenceOfStability(t *testing.T) {
	p := refundsPack(t)
	evidence := certify.CaptureEvidence{Snapshot: p.Manifest.Snapshot, Digest: canon.Digest(nil), Captures: 3}
	c := made(t, certify.Inputs{Pack: p, Evidence: &evidence})
	if outcomes(c)["capture-stability"] != certify.Pass || !slices.Contains(c.Materials, certify.Material{Name: "capture-evidence", Digest: evidence.Digest}) {
		t.Errorf("%v, %v", c.Checks, c.Materials)
	}
	evidence.Captures = 0
	if got := outcomes(made(t, certify.Inputs{Pack: p, Evidence: &evidence})); got["capture-stability"] != certify.NotRecorded {
		t.Errorf("one capture: %v", got)
	}
	evidence.Snapshot = canon.Digest(nil)
	if _, err := certify.Certify(context.Background(), certify.Inputs{Pack: p, Evidence: &evidence, At: day0, Serial: 1}); !errors.Is(err, certify.ErrInputs) {
		t.Errorf("evidence of another snapshot: %v", err)
	}
}

func TestExpiry(t *testing.T) {
	s := refunds(t)
	plain, ending := refundsPack(t), inputsOf(t, s)
	ending.Approvals = []air.Approval{approve(t, s, "get_refund", "2027-01-15"), approve(t, s, "list_refunds", "2026-12-24")}
	ends := built(t, ending)
	let := gate.Options{MaxTools: 3, Accepted: []gate.Acceptance{accepted(t, "tool-budget", "2026-12-31")}}
	for _, tt := range []struct {
		name          string
		in            certify.Inputs
		expires, says string
	}{
		{"by default", certify.Inputs{Pack: plain}, "2027-02-28T12:00:00Z", "90 days after it was issued"},
		{"as asked for", certify.Inputs{Pack: plain, Expires: day0.AddDate(1, 0, 0)}, "2027-11-30T12:00:00Z", "as it was asked for"},
		{"with the first approval", certify.Inputs{Pack: ends}, "2026-12-25T00:00:00Z", `the approval of "refunds.list_refunds" by "ada" ends`},
		{"before the first approval", certify.Inputs{Pack: ends, Expires: day0.AddDate(0, 0, 7)}, "2026-12-07T12:00:00Z", "as it was asked for"},
		{"with an acceptance", certify.Inputs{Pack: plain, Gate: let}, "2027-01-01T00:00:00Z", "the acceptance of tool-budget ends"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := made(t, tt.in)
			if c.Level != certify.StaticPassed || c.Expires != tt.expires || c.ExpiresWhy != tt.says {
				t.Errorf("%s until %s, %s: %v", c.Level, c.Expires, c.ExpiresWhy, c.Checks)
			}
			end, _ := time.Parse(time.RFC3339, c.Expires)
			if c.LevelAt(end.Add(-time.Second)) != certify.StaticPassed || c.LevelAt(end) != certify.Expired {
				t.Error("it does not hold until its end, or longer")
			}
		})
	}
	for name, in := range map[string]certify.Inputs{
		"later than an approval": {Pack: ends, Expires: day0.AddDate(0, 0, 60)},
		"later than acceptance":  {Pack: plain, Gate: let, Expires: day0.AddDate(0, 0, 60)},
		"over already":           {Pack: plain, Expires: day0},
	} {
		in.At, in.Serial = day0, 1
		if _, err := certify.Certify(context.Background(), in); !errors.Is(err, certify.ErrInputs) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := made(t, certify.Inputs{Pack: refundsPack(t)}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"a later format":         {`"schemaVersion": 1`, `"schemaVersion": 2`},
		"a level of later":       {`"level": "static_passed"`, `"level": "certified"`},
		"expired as it is made":  {`"level": "static_passed"`, `"level": "expired"`},
		"no serial":              {`"serial": 1`, `"serial": 0`},
		"an unknown member":      {`"serial": 1`, `"serial": 1, "more": true`},
		"a repeated member":      {`"serial": 1`, `"serial": 1, "serial": 2`},
		"an end before the time": {`"expires": "2027`, `"expires": "2020`},
		"a day for a time":       {`"issuedAt": "2026-11-30T12:00:00Z"`, `"issuedAt": "2026-11-30"`},
		"a truncated digest":     {`"pack": "sha256:`, `"pack": "sha256:0`},
		"an unknown outcome":     {`"outcome": "pass"`, `"outcome": "fine"`},
		"text that is no UTF-8":  {`"statement": "`, "\"statement\": \"\xff"},
	} {
		bad := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(bad, good) {
			t.Fatalf("%s: %q is not there", name, change[0])
		}
		if _, err := certify.Decode(bad); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if _, err := certify.Decode(append(bytes.Clone(good), '{', '}')); err == nil {
		t.Error("bytes behind it were read")
	}
}
