//go:build linux

package probe

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/surface"
	"anvil/internal/trapserver"
)

// traps has a line for every mode; those that measure memory come first and run alone.
var traps = []trap{
	{mode: "large-line", heap: 6 * trapserver.LargeBytes, bulky: true},
	{mode: "stderr-flood", heap: 14 << 20},
	{mode: "line-without-end", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}, code: BrokenList,
		text: []string{"larger than the limit", "read until then: 4 tools"}},
	{mode: "oversized-reply", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}, code: BrokenList,
		text: []string{"larger than the limit of 1048576 bytes", "read until then: 4 tools"}},
	{mode: "oversized-id-last", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}, code: BrokenList,
		text: []string{"larger than the limit"}},
	{mode: "oversized-notice", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}},
	{mode: "oversized-text", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message", "stdout-noise"}},
	{mode: "oversized-log", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message", "stdout-noise"}},
	{mode: "oversized-often", limit: trapserver.FrameLimit, heap: 12 << 20, findings: []string{"oversized-message"}, check: func(t *testing.T, r Result) {
		if n := len(r.Evidence.Oversized); n != 8 || !strings.Contains(r.Findings[0].Message, "the largest of 8") {
			t.Errorf("%d told of: %s", n, r.Findings[0].Message)
		}
	}},
	{mode: "deep-9000", heap: 64 << 20, bulky: true, gate: "schema-depth tool/deep"},

	{mode: "plain"},
	{mode: "noise-before", findings: []string{"stdout-noise"}, check: func(t *testing.T, r Result) {
		if n := r.Evidence.Noise[noiseStdout]; n != 5 || !strings.Contains(r.Findings[0].Message, "(5 times)") {
			t.Errorf("%d lines, %s", n, r.Findings[0].Message)
		}
	}},
	{mode: "noise-during", findings: []string{"stdout-noise"}},
	{mode: "says-goodbye", findings: []string{"stdout-noise"}},
	{mode: "json-log", findings: []string{"stdout-noise"}},
	{mode: "bom", findings: []string{"byte-order-mark"}},
	{mode: "blank-lines"},
	{mode: "crlf"},
	{mode: "spaced"},
	{mode: "pretty", respelled: true},

	{mode: "too-deep", findings: []string{"too-deep-message"}, code: BrokenList, text: []string{"nests too deep: more than 10000 levels", "4 tools"}, within: prompt},
	{mode: "too-deep-id-last", findings: []string{"too-deep-message"}, code: BrokenList, text: []string{"nests too deep: more than 10000 levels"}, within: prompt},
	{mode: "too-deep-notice", findings: []string{"too-deep-message"}},
	{mode: "broken-comma", findings: []string{"broken-reply"}, code: BrokenList, text: []string{"tools/list", "malformed JSON", "4 tools"}, within: prompt},
	{mode: "broken-escape", findings: []string{"broken-reply"}, code: BrokenList, text: []string{"want an escape"}, within: prompt},
	{mode: "broken-nan", findings: []string{"broken-reply"}, code: BrokenList, text: []string{"want a value"}, within: prompt},
	{mode: "broken-cut", findings: []string{"broken-reply"}, code: BrokenList, text: []string{"JSON ends too early"}, within: prompt},
	{mode: "broken-newline", findings: []string{"broken-reply", "stdout-noise"}, code: BrokenList, text: []string{"JSON ends too early"}, within: prompt},
	{mode: "broken-cut-between", findings: []string{"broken-reply"}, code: BrokenList, text: []string{"JSON ends too early"}, within: prompt},
	{mode: "broken-cut-silent", findings: []string{"stdout-noise"}, timeout: hanging, code: Unreachable, text: endless},
	{mode: "broken-id-last", findings: []string{"stdout-noise"}, timeout: hanging, code: Unreachable, text: endless},
	{mode: "two-on-a-line", findings: []string{"joined-messages"}},
	{mode: "text-behind", findings: []string{"joined-messages"}},
	{mode: "logged-replies", findings: []string{"stdout-noise"}},

	{mode: "no-jsonrpc", findings: []string{"missing-jsonrpc"}},
	{mode: "old-jsonrpc", findings: []string{"missing-jsonrpc"}},
	{mode: "string-ids", findings: []string{"loosely-typed-id"}},
	{mode: "decimal-ids", findings: []string{"loosely-typed-id"}},
	{mode: "id-last"},
	{mode: "escaped-id"},
	{mode: "null-id-error", findings: []string{"null-id-error"}},
	{mode: "unknown-id", findings: []string{"unknown-reply-id"}},
	{mode: "duplicate-reply", findings: []string{"duplicate-reply"}},
	{mode: "duplicate-member", findings: []string{"duplicate-envelope-member"}},
	{mode: "both-members", findings: []string{"ambiguous-message"}},
	{mode: "batch", findings: []string{"batch-reply"}},
	{mode: "null-id-on-notice", findings: []string{"null-id-error"}},
	{mode: "null-id-among-two", findings: []string{"ignores-unknown-method", "null-id-error"}},
	{mode: "odd-code"},
	{mode: "odd-code-of-list", code: BrokenList, text: []string{"prompts/list", "the prompts are on fire", "read until then: 10 tools, 2 resources, 1 resourceTemplate"}},
	{mode: "server-requests", check: func(t *testing.T, r Result) {
		want := map[string]int{"ping": 1, "roots/list": 1, "sampling/createMessage": 1, "elicitation/create": 1, "vendor/unheard-of": 1}
		if diff := cmp.Diff(want, r.Evidence.ServerRequests); diff != "" {
			t.Errorf("requests (-want +got)\n%s", diff)
		}
	}},

	{mode: "cursor-cycle", findings: []string{"paging-loop"}},
	{mode: "endless-cursors", findings: []string{"paging-loop"}},
	{mode: "changed-during", check: func(t *testing.T, r Result) {
		if r.Evidence.Restarts == 0 || r.Evidence.ListChanged == 0 {
			t.Errorf("%+v", r.Evidence)
		}
	}},
	{mode: "change-storm", findings: []string{"list-change-storm"}, within: within + maxSettle},
	{mode: "change-storm-moving", code: BrokenList, text: []string{"kept changing"}, within: within + maxSettle},
	{mode: "crash-mid-list", code: Unreachable, text: []string{"tools/list", "exited with code 7", "out of pages", "read until then: 4 tools"}, check: func(t *testing.T, r Result) {
		if diff := cmp.Diff(trapserver.Items("plain", "tools")[:4], texts(r.Capture.Lists[surface.Tool])); diff != "" {
			t.Errorf("pages kept (-want +got)\n%s", diff)
		}
	}},
	{mode: "crash-mid-message", findings: []string{"stdout-noise"}, code: Unreachable, text: []string{"tools/list", "exited with code 7", "out of words", "4 tools"}},
	{mode: "hang-mid-list", timeout: hanging, code: Unreachable, text: append([]string{"tools/list", "4 tools"}, endless...)},
	{mode: "hang-mid-message", findings: []string{"stdout-noise"}, timeout: hanging, code: Unreachable, text: append([]string{"tools/list"}, endless...)},
	{mode: "hang-tools", timeout: hanging, code: Unreachable, text: append([]string{"tools/list"}, endless...)},
	{mode: "hang-resources", timeout: hanging, code: Unreachable, text: append([]string{"resources/list", "10 tools"}, endless...)},
	{mode: "hang-templates", timeout: hanging, code: Unreachable, text: append([]string{"resources/templates/list", "2 resources"}, endless...)},
	{mode: "hang-prompts", timeout: hanging, code: Unreachable, text: append([]string{"prompts/list"}, endless...)},

	{mode: "hang-initialize", timeout: hanging, code: Unreachable, text: append([]string{"handshake"}, endless...)},
	{mode: "hang", timeout: hanging, code: Unreachable, text: append([]string{"handshake"}, endless...)},
	{mode: "never-starts", code: Unreachable, text: []string{"exited with code 7", "the key is missing"}},
	{mode: "refuses", code: NotMCP, text: []string{"error -32000: go away"}},
	{mode: "no-version", code: NotMCP, text: []string{"no protocolVersion"}},
	{mode: "ignores-unknown", findings: []string{"ignores-unknown-method"}},
	{mode: "reversed", findings: []string{"ignores-unknown-method"}},
	{mode: "slow-to-refuse", findings: []string{"slow-to-refuse-discover"}},
	{mode: "dies-on-unknown", findings: []string{"dies-on-unknown-method"}},
	{mode: "unknown-version", findings: []string{"unknown-protocol-version"}},
	{mode: "stateless-version"},

	{mode: "deep-1000", gate: "schema-depth tool/deep"},
	{mode: "invalid-utf8", gate: "inexact-json tool/odd"},
	{mode: "lone-surrogate", gate: "inexact-json tool/odd"},
	{mode: "duplicate-keys", gate: "inexact-json tool/odd"},
	{mode: "wrong-types", gate: anything},
	{mode: "no-object", gate: anything},
	{mode: "number-item", gate: anything},
	{mode: "list-item", gate: anything},
	{mode: "no-name", gate: anything},
	{mode: "name-number", gate: anything},
	{mode: "title-number", gate: anything},
	{mode: "text-schema", gate: anything},
	{mode: "no-schema", gate: anything},
	{mode: "list-hints", gate: anything},
	{mode: "text-hints", gate: anything},
	{mode: "number-text", gate: anything},
	{mode: "huge-numbers", gate: "inexact-json tool/odd"},
	{mode: "null-tools", findings: []string{"list-malformed"}},

	{mode: "stays"},
	{mode: "environment", check: func(t *testing.T, r Result) {
		for _, tool := range r.Capture.Lists[surface.Tool] {
			if bytes.Contains(tool, []byte(plantedSecret)) {
				t.Errorf("the server was given %s", tool)
			}
		}
	}},
	{mode: "leaves-child", check: childIsGone},
}
