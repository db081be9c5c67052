package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit/metadata"
	"anvil/compiler/surface"
	"anvil/learn/profile"
)

// How long a certification holds: when nobody says otherwise, and at the most, in days.
const (
	DefaultValidity = 90 * 24 * time.Hour
	MaxValidity     = 3650
)

// longest is the last end of what is issued at a time: the end of the last day.
func longest(issued time.Time) time.Time { return issued.AddDate(0, 0, MaxValidity+1) }

// Inputs are what a certification is made from. The same inputs make the same bytes.
type Inputs struct {
	Pack     *pack.Pack       // whole: as [pack.Open] returns it
	Gate     gate.Options     // of them MaxTools, Clients and Accepted are the policy; the rest is taken from the pack and the evidence
	Evidence *CaptureEvidence // of the capture; nil when there is none
	At       time.Time        // of issue; seconds count
	Expires  time.Time        // the first moment at which it holds no more; zero for the latest one allowed within DefaultValidity
	Serial   int
	Version  string // of anvil
	Flags    string // of the command that makes the same certification again, beside those for time and serial
}

// CaptureEvidence is what is known of how the snapshot in the pack was captured.
type CaptureEvidence struct {
	Snapshot  string         // digest of the snapshot that was made then
	Digest    string         // of the file that says so
	Captures  int            // that were compared; 0 when it was made once
	Differing []string       // what differed between them
	Pages     map[string]int // in how many pages each list method answered
}

// ErrInputs marks inputs that cannot be certified as they are given.
var ErrInputs = errors.New("cannot certify like that")

// run is a certification in the making.
type run struct {
	Inputs
	snapshot *surface.McpSurfaceSnapshot
	document air.Document             // as the pack has it
	now      air.Document             // with the approvals that are in force at the time
	byID     map[string]air.Operation // of the document
	byTool   map[string]air.Operation
	whole    air.Signature
	exposed  air.Signature
	cert     Certification
	accepted []gate.Acceptance // that let something pass
}

// Certify runs every static check over the pack and says what came out. A check that fails makes the level [Failed] and is no error. The error
// matches [ErrInputs] when time or capture evidence do not fit the pack.
func Certify(ctx context.Context, in Inputs) (Certification, error) {
	r := &run{Inputs: in}
	r.At = in.At.UTC().Truncate(time.Second)
	if err := r.open(); err != nil {
		return Certification{}, err
	}
	r.cert = Certification{SchemaVersion: SchemaVersion, Serial: in.Serial, IssuedAt: r.At.Format(time.RFC3339), NonClaims: nonClaims}
	if err := r.subject(); err != nil {
		return Certification{}, err
	}
	if err := r.judge(ctx); err != nil {
		return Certification{}, err
	}
	r.cert.Policy = r.policy()
	r.cert.Tools = r.tools()
	r.cert.Checks = []Check{
		r.checkFiles(), r.checkRebuild(), r.checkSurfaceSignature(), r.checkExposure(), r.checkApprovals(), r.checkGate(), r.base(), r.checkStability(),
	}
	r.cert.Materials = r.materials()
	if r.cert.Level = StaticPassed; len(r.cert.Failing()) > 0 {
		r.cert.Level = Failed
	}
	if err := r.expire(); err != nil {
		return Certification{}, err
	}
	r.cert.Builder = r.builder()
	r.cert.Statement = r.statement()
	return r.cert, nil
}

func (r *run) statement() string {
	return fmt.Sprintf("certified by policy %s (%s) at %s, by the keys that signed it: %s; valid until %s",
		r.cert.Policy.ID, r.cert.Policy.Digest, r.cert.IssuedAt, r.cert.Level, r.cert.Expires)
}

func (r *run) open() (err error) {
	if r.snapshot, err = r.Pack.Snapshot(); err != nil {
		return err
	}
	if r.document, err = r.Pack.Document(); err != nil {
		return err
	}
	if r.Evidence != nil && r.Evidence.Snapshot != r.snapshot.Digest {
		return fmt.Errorf("%w: the capture evidence is about the snapshot %s, and the pack holds %s; capture again with --evidence, or leave it out",
			ErrInputs, r.Evidence.Snapshot, r.snapshot.Digest)
	}
	r.byID, r.byTool = map[string]air.Operation{}, map[string]air.Operation{}
	for _, o := range r.document.Operations {
		r.byID[o.ID], r.byTool[o.MCP.ToolName] = o, o
	}
	r.now, _ = r.document.WithApprovals(pack.Approvals(r.document), r.At)
	r.whole, r.exposed = r.document.Signature(), r.document.Approved().Signature()
	return nil
}

func (r *run) subject() error {
	m, d := r.Pack.Manifest, r.snapshot.Digests
	r.cert.Subject = Subject{
		ID: m.ID, Version: m.Version, Mode: string(m.Mode), Pack: m.Digest, Snapshot: r.snapshot.Digest, Surface: d.Surface, Contract: d.Contract,
		Text: d.Text, Identity: d.Identity, Signature: r.whole.Digest, Exposed: r.exposed.Digest, ToolsMetadata: []string{}, Canon: canon.ID,
	}
	for _, a := range m.Artifacts {
		if a.Kind == pack.KindMetadata {
			r.cert.Subject.ToolsMetadata = append(r.cert.Subject.ToolsMetadata, a.Digest)
		}
	}
	if !allDigests(r.cert.Subject.digests()...) {
		return fmt.Errorf("%w: the pack has no digest for a part of what is certified", ErrInputs)
	}
	return nil
}

// tools is the safety record of each tool, by name.
func (r *run) tools() []Tool {
	tools := []Tool{}
	for _, o := range r.document.Operations {
		t := Tool{Name: o.MCP.ToolName, State: string(o.State), Contract: o.ContractDigest, Text: o.TextDigest, Approval: approvalOf(o)}
		if view, err := metadata.Build(air.Document{Operations: []air.Operation{o}}, profile.Document{}); err == nil && len(view.Tools) == 1 {
			t.Safety = *view.Tools[0].Safety
		}
		tools = append(tools, t)
	}
	slices.SortStableFunc(tools, func(a, b Tool) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Contract, b.Contract))
	})
	return tools
}

func approvalOf(o air.Operation) *Approval {
	if o.Approval == nil {
		return nil
	}
	return &Approval{o.Approval.By, o.Approval.At, o.Approval.Reason, o.Approval.Expires}
}

// materialEvidence is the material of which nothing else in a certification tells.
const materialEvidence = "capture-evidence"

// Evidenced reports a certification that says it was made with evidence of the capture.
func (c Certification) Evidenced() bool {
	return slices.ContainsFunc(c.Materials, func(m Material) bool { return m.Name == materialEvidence })
}

func (r *run) materials() []Material {
	materials := materialsOf(r.cert)
	if r.Evidence != nil {
		materials = append(materials, Material{materialEvidence, r.Evidence.Digest})
	}
	return materials
}

// materialsOf are the materials that follow from the rest of a certification.
func materialsOf(c Certification) []Material {
	materials := []Material{{"snapshot", c.Subject.Snapshot}, {"policy", c.Policy.Digest}, {"rules", c.Policy.Rules}, {"client-profiles", c.Policy.Profiles}}
	if c.Base != nil {
		materials = append(materials, Material{"base", c.Base.Base})
	}
	return materials
}

// bound is a moment that a certification does not outlive, and why.
type bound struct {
	at  time.Time
	why string
}

// latest is the latest end: never later than that of an approval that the certification rests on, or of an acceptance that let something pass.
func (r *run) latest() bound {
	latest := bound{longest(r.At), fmt.Sprintf("%d days are over", MaxValidity)}
	tighten := func(at time.Time, why string) {
		if at.After(r.At) && at.Before(latest.at) {
			latest = bound{at, why}
		}
	}
	for _, o := range r.now.Operations {
		if until, ok := lastMoment(o); ok {
			tighten(until, fmt.Sprintf("the approval of %q by %q ends", o.ID, o.Approval.By))
		}
	}
	for _, a := range r.accepted {
		tighten(a.Until.AddDate(0, 0, 1), fmt.Sprintf("the acceptance of %s ends", a.Rule))
	}
	return latest
}

// expire sets until when the certification holds.
func (r *run) expire() error {
	latest := r.latest()
	usual := bound{r.At.Add(DefaultValidity), fmt.Sprintf("%d days after it was issued", int(DefaultValidity.Hours()/24))}
	end := r.Expires.UTC().Truncate(time.Second)
	if r.Expires.IsZero() {
		end = usual.at
		if latest.at.Before(end) {
			end = latest.at.UTC()
		}
	}
	switch {
	case !end.After(r.At):
		return fmt.Errorf("%w: it would end at %s, and is issued at %s; give a later end", ErrInputs, end.Format(time.RFC3339), r.cert.IssuedAt)
	case end.After(latest.at):
		return fmt.Errorf("%w: it would end at %s, and %s at %s; give no later end, or renew that first", ErrInputs,
			end.Format(time.RFC3339), latest.why, latest.at.UTC().Format(time.RFC3339))
	}
	// Why it ends then follows from when, however that was asked for: the command that makes it again names the end.
	r.cert.Expires, r.cert.ExpiresWhy = end.Format(time.RFC3339), "as it was asked for"
	for _, b := range []bound{usual, latest} {
		if b.at.Equal(end) {
			r.cert.ExpiresWhy = b.why
		}
	}
	return nil
}

// lastMoment is when the approval of an operation ends, if it does.
func lastMoment(o air.Operation) (time.Time, bool) {
	if o.Approval == nil || o.Approval.Expires == "" {
		return time.Time{}, false
	}
	at, err := air.ParseEnd(o.Approval.Expires)
	return at, err == nil
}

func (r *run) builder() Builder {
	command := fmt.Sprintf("anvil mcp certify PACK --at %s --serial %d --expires %s", r.cert.IssuedAt, r.Serial, r.cert.Expires)
	if r.Flags != "" {
		command += " " + r.Flags
	}
	return Builder{"anvil", r.Version, command}
}
