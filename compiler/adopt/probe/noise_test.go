package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/surface"
	"anvil/wire"
)

func TestCatalogueIsHonest(t *testing.T) {
	for _, r := range Rules {
		if r.Title == "" || r.Doc == "" || r.Class.Rank() == 0 || r.Since == "" {
			t.Errorf("%s: a field is empty", r.ID)
		}
	}
	for _, kind := range []string{
		wire.NoiseMalformed, wire.NoiseBatch, wire.NoiseNoVersion, wire.NoiseDuplicateMember, wire.NoiseAmbiguous, wire.NoiseLooseID,
		wire.NoiseUnknownID, wire.NoiseDuplicateReply, wire.NoiseNullID, wire.NoiseOversized, wire.NoiseRequestFlood, noiseStdout, noiseBOM,
		wire.NoiseTooDeep, wire.NoiseBroken, wire.NoiseJoined,
	} {
		rule := noises[kind].rule
		if _, known := Rules.Find(rule.ID); !known || rule.Hint == "" {
			t.Errorf("noise %s has no rule, or one without a hint", kind)
		}
	}
}

// TestNoiseCountIsNoIdentity hears one thing once and often: the message tells, the fingerprint does not.
func TestNoiseCountIsNoIdentity(t *testing.T) {
	prints := map[string]string{}
	for kind := range noises {
		once, often := noiseFindings(map[string]int{kind: 1}, nil)[0], noiseFindings(map[string]int{kind: 17}, nil)[0]
		if once.Fingerprint != often.Fingerprint || once.Message == often.Message || !strings.Contains(often.Message, "17 times") {
			t.Errorf("%s: %+v\n%+v", kind, once, often)
		}
		if other, taken := prints[once.Fingerprint]; taken {
			t.Errorf("%s and %s have one fingerprint", kind, other)
		}
		prints[once.Fingerprint] = kind
	}
}

// TestFramesThatAreNoMessages sends over a link that hands on every frame as it is, as over HTTP, what a link to a process skips by itself.
func TestFramesThatAreNoMessages(t *testing.T) {
	r, err := capture(t, func(s *server, method, params string) string {
		if method == "tools/list" {
			s.send(`hello`)
			s.send(`[{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"}]}},{"jsonrpc":"2.0","method":"notifications/x"}]`, s.last)
			return ""
		}
		return lists(nil)(s, method, params)
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"batch-reply", "malformed-message"}, got); diff != "" || len(r.Capture.Lists[surface.Tool]) != 1 {
		t.Errorf("%v (-want +got)\n%s", r.Capture.Lists, diff)
	}
}

// TestFindingsOfAFailedCapture keeps what was read and noticed until a list fails.
func TestFindingsOfAFailedCapture(t *testing.T) {
	r, err := capture(t, func(s *server, method, params string) string {
		if method == "prompts/list" {
			s.send(`{"id":%s,"error":{"code":-32000,"message":"broken"}}`, s.last)
			return ""
		}
		return lists(map[string]string{"": `{"tools":[{"name":"a"},{"name":"b"}]}`})(s, method, params)
	})
	wantFailure(t, err, BrokenList, "read until then: 2 tools, 1 resource, 1 resourceTemplate")
	if got := fmt.Sprint(len(r.Findings), r.Evidence.Noise, len(r.Capture.Lists[surface.Tool])); got != "1 map[no-version:1] 2" {
		t.Errorf("%s: %+v", got, r)
	}
}

// TestErrorWithoutRequestIsSurvived sends such an error while the one call that waits is a list; the list is read all the same.
func TestErrorWithoutRequestIsSurvived(t *testing.T) {
	reads := 0
	r, err := capture(t, func(s *server, method, params string) string {
		if method == "tools/list" {
			if reads++; reads == 1 {
				s.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`)
			}
			return `"result":{"tools":[{"name":"a"}]}`
		}
		return lists(nil)(s, method, params)
	})
	if err != nil || reads != 2 || len(r.Capture.Lists[surface.Tool]) != 1 {
		t.Fatalf("%d reads, %v, %v", reads, r.Capture.Lists, err)
	}
	if diff := cmp.Diff(map[string]int{wire.NoiseNullID: 1}, r.Evidence.Noise); diff != "" {
		t.Errorf("noise (-want +got)\n%s", diff)
	}
}

// TestOversizedHint tells of what is kept, of what could not be, and claims no more: the largest may well be neither.
func TestOversizedHint(t *testing.T) {
	kept := func(name string, bytes int64) Oversized {
		return Oversized{Limit: 10, Bytes: bytes, Whole: true, Kept: name}
	}
	failed := func(why string, bytes int64) Oversized { return Oversized{Limit: 10, Bytes: bytes, KeepErr: why} }
	for _, tt := range []struct {
		name          string
		met           []Oversized
		message, hint string
	}{
		{"one", []Oversized{kept("e-1", 11)}, "a message of 11 bytes is larger than the limit of 10 bytes and was skipped (once)", "what was read of it is kept in e-1"},
		{"one that failed", []Oversized{failed("no such folder", 11)},
			"a message of which 11 bytes were read is larger than the limit of 10 bytes and was skipped (once)", "it could not be kept: no such folder"},
		{"one half kept", []Oversized{{Limit: 10, Bytes: 11, Whole: true, Kept: "e-1", KeepErr: "disk full"}},
			"a message of 11 bytes is larger than the limit of 10 bytes and was skipped (once)", "what was read of it is kept in e-1 (the start: disk full)"},
		{"nobody kept them", []Oversized{{Limit: 10, Bytes: 11, Whole: true}, {Limit: 10, Bytes: 12, Whole: true}},
			"a message of 12 bytes, the largest of 2, is larger than the limit of 10 bytes and was skipped", "capture again with --evidence FILE to keep it on disk"},
		{"the fifth is the largest", []Oversized{kept("e-1", 11), kept("e-2", 12), kept("e-3", 13), kept("e-4", 14), {Limit: 10, Bytes: 99, Whole: true}},
			"a message of 99 bytes, the largest of 5, is larger than the limit of 10 bytes and was skipped",
			"4 of 5 are kept, as far as they were read: e-1, e-2, e-3, e-4"},
		{"some failed", []Oversized{kept("e-1", 11), failed("disk full", 99), failed("still full", 12), {Limit: 10, Bytes: 13, Whole: true}},
			"a message of which 99 bytes were read, the largest of 4, is larger than the limit of 10 bytes and was skipped",
			"1 of 4 are kept, as far as they were read: e-1; 2 could not be kept: disk full"},
		{"all failed", []Oversized{failed("no such folder", 11), failed("no such folder", 12)},
			"a message of which 12 bytes were read, the largest of 2, is larger than the limit of 10 bytes and was skipped", "2 could not be kept: no such folder"},
	} {
		want := []string{tt.message, tt.hint + "; " + oversizedMessage.Hint}
		if diff := cmp.Diff(want, []string{oversizedMessageText(tt.met), oversizedHint(tt.met)}); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}
