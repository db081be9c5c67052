package adopt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/surface"
)

// lowerOne lowers a server with one tool.
func lowerOne(t testing.TB, tool string) (air.Operation, []string) {
	t.Helper()
	s := snapshotOf(t, "s", tool)
	d := Bridge(s)
	checkDocument(t, s, d)
	var rules []string
	for _, f := range d.Diagnostics {
		rules = append(rules, f.Rule+" "+f.Pointer)
	}
	return d.Operations[0], rules
}

// The table of the bridge: what each combination of hint, verb and parameter gives.
func TestInfer(t *testing.T) {
	const (
		read, change = air.Read, air.Mutation
		none, ready  = air.StateReviewRequired, air.StateGenerated
	)
	tests := []struct {
		tool  string
		kind  air.EffectKind
		risk  air.Risk
		state air.State
		rules []string
	}{
		// Hints alone: the name says nothing.
		{`{"name":"thing"}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"thing","annotations":{"readOnlyHint":"true"}}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","annotations":{"readOnlyHint":false}}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","annotations":{"openWorldHint":true}}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","annotations":{"destructiveHint":false}}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","annotations":{"destructiveHint":true}}`, change, air.RiskDestructive, none, nil},
		{`{"name":"thing","annotations":{"idempotentHint":true}}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","annotations":{"idempotentHint":true,"destructiveHint":true}}`, change, air.RiskDestructive, none, nil},
		{`{"name":"thing","annotations":{"readOnlyHint":true,"idempotentHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"thing","annotations":{"readOnlyHint":true,"destructiveHint":true}}`, change, air.RiskDestructive, none,
			[]string{"effect-hints-contradict /annotations/destructiveHint"}},

		// Verbs of the name.
		{`{"name":"get_user"}`, change, air.RiskMedium, none, nil},
		{`{"name":"get_user","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"create_user"}`, change, air.RiskMedium, none, nil},
		{`{"name":"delete_account"}`, change, air.RiskDestructive, none, []string{"verb-dangerous-unannotated /name"}},
		{`{"name":"delete_account","annotations":{"destructiveHint":true}}`, change, air.RiskDestructive, none, nil},
		{`{"name":"delete_account","annotations":{"readOnlyHint":false,"destructiveHint":false}}`, change, air.RiskDestructive, none,
			[]string{"hint-verb-mismatch /annotations/destructiveHint"}},
		{`{"name":"delete_account","annotations":{"readOnlyHint":true}}`, change, air.RiskDestructive, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"deleteAccount2","annotations":{"readOnlyHint":true}}`, change, air.RiskDestructive, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"update_user","annotations":{"readOnlyHint":true}}`, change, air.RiskMedium, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"get_or_create_label","annotations":{"readOnlyHint":true}}`, change, air.RiskMedium, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"find_and_delete","annotations":{"readOnlyHint":true}}`, change, air.RiskDestructive, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"wire_transfer"}`, change, air.RiskFinancial, none, []string{"verb-dangerous-unannotated /name"}},
		{`{"name":"create-payment","annotations":{"destructiveHint":false}}`, change, air.RiskFinancial, none, nil},
		{`{"name":"send_email"}`, change, air.RiskHigh, none, nil},
		{`{"name":"im.v1.message.create"}`, change, air.RiskHigh, none, nil},
		{`{"name":"pods_exec"}`, change, air.RiskHigh, none, nil},
		{`{"name":"kv_delete"}`, change, air.RiskDestructive, none, []string{"verb-dangerous-unannotated /name"}},
		{`{"name":"slack_post_message"}`, change, air.RiskHigh, none, nil},

		// Names that look dangerous and are not.
		{`{"name":"research","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"undelete_item"}`, change, air.RiskMedium, none, nil},
		{`{"name":"get_deleted_items","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"post_mortem_list","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"order_history","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"blog_post_comments","description":"Returns the comments.","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"mail_getWebhookV1","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"list_merge_requests","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"list_payments","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"capture_screenshot"}`, change, air.RiskMedium, none, nil},
		{`{"name":"git_checkout"}`, change, air.RiskMedium, none, nil},
		{`{"name":"set_sort_order"}`, change, air.RiskMedium, none, nil},

		// Names that look harmless and are not.
		{`{"name":"poll_create","annotations":{"readOnlyHint":true}}`, change, air.RiskMedium, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"list_delete","annotations":{"readOnlyHint":true}}`, change, air.RiskDestructive, none, []string{"hint-verb-mismatch /name"}},
		{`{"name":"run_query","annotations":{"readOnlyHint":true}}`, change, air.RiskHigh, none, []string{"hint-verb-mismatch /name"}},

		// Descriptions.
		{`{"name":"thing","description":"Deletes every row.","annotations":{"readOnlyHint":true}}`, change, air.RiskDestructive, none,
			[]string{"hint-verb-mismatch /description"}},
		{`{"name":"thing","description":"Use this tool to permanently delete rows."}`, change, air.RiskDestructive, none, nil},
		{`{"name":"get_x","description":"Finds the rows and deletes them.","annotations":{"readOnlyHint":true}}`, change, air.RiskDestructive, none,
			[]string{"hint-verb-mismatch /description"}},
		{`{"name":"get_x","description":"Lists create and update times.","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"search_code","description":"Run a search.","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"get_x","description":"Shows x.\nThe row will be deleted afterwards.","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, none,
			[]string{"description-mentions-danger /description"}},
		{`{"name":"get_x","description":"Shows x. Nothing will be deleted.","annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"set_x","description":"Sets x. This cannot be undone."}`, change, air.RiskHigh, none, nil},

		// Parameters.
		{`{"name":"query","inputSchema":{"properties":{"sql":{"type":"string"}}}}`, change, air.RiskHigh, none, nil},
		{`{"name":"query","inputSchema":{"properties":{"sql":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`, change, air.RiskHigh, none,
			[]string{"hint-schema-mismatch /inputSchema/properties/sql"}},
		{`{"name":"thing","inputSchema":{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"command":{"type":["string","null"]}}}}}}`, change, air.RiskHigh, none, nil},
		{`{"name":"thing","inputSchema":{"properties":{"command":{"enum":["start","stop"]}}}}`, change, air.RiskMedium, none, nil},
		{`{"name":"thing","inputSchema":{"properties":{"country_code":{"type":"string"},"script_id":{"type":"string"}}}}`, change, air.RiskMedium, none, nil},
		{`{"name":"browser_do","inputSchema":{"properties":{"code":{"type":"string","description":"JavaScript to run"}}}}`, change, air.RiskHigh, none, nil},
		{`{"name":"search","inputSchema":{"properties":{"query":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"sql_query","inputSchema":{"properties":{"query":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`, change, air.RiskHigh, none,
			[]string{"hint-schema-mismatch /inputSchema/properties/query"}},
		{`{"name":"thing","inputSchema":{"properties":{"force":{"type":"boolean"}}},"annotations":{"readOnlyHint":true}}`, change, air.RiskMedium, none,
			[]string{"hint-schema-mismatch /inputSchema/properties/force"}},
		{`{"name":"thing","inputSchema":{"if":{},"then":{"properties":{"command":{"type":"string"}}}},"annotations":{"readOnlyHint":true}}`, change, air.RiskHigh, none,
			[]string{"hint-schema-mismatch /inputSchema/then/properties/command"}},
		{`{"name":"thing","inputSchema":{"properties":{"a":{"prefixItems":[{"properties":{"force":{"type":"boolean"}}}]}}},"annotations":{"readOnlyHint":true}}`, change,
			air.RiskMedium, none, []string{"hint-schema-mismatch /inputSchema/properties/a/prefixItems/0/properties/force"}},
		{`{"name":"thing","inputSchema":{"not":{"properties":{"force":{}}},"default":{"properties":{"command":{}}}},"annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
		{`{"name":"thing","outputSchema":{"properties":{"sql":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`, read, air.RiskLow, ready, nil},
	}
	for _, test := range tests {
		t.Run(test.tool, func(t *testing.T) {
			o, rules := lowerOne(t, test.tool)
			want := fmt.Sprint(test.kind, " ", test.risk, " ", test.state, test.rules)
			if got := fmt.Sprint(o.Effect.Kind, " ", o.Effect.Risk, " ", o.State, rules); got != want {
				t.Errorf("want %s, got %s\nevidence %+v", want, got, o.Evidence)
			}
		})
	}
}

func TestInferActionAndResource(t *testing.T) {
	for name, want := range map[string]string{
		"get_refund": "get refund", "list_pull_requests_by_repo": "list pull_request", "kv_delete": "delete kv", "sendEmail": "send email",
		"createANewWebsiteV1": "create new_website", "searchCities": "search city", "find_and_replace_in_scripts": "replace ", "thing": "other ",
		"git_status": "other ", "get_status": "get status", "approve-timesheet": "approve timesheet", "listAllBoxes": "list all_box",
	} {
		o, _ := lowerOne(t, fmt.Sprintf(`{"name":%q}`, name))
		if got := string(o.Effect.Action) + " " + o.Effect.Resource; got != want {
			t.Errorf("%s: want %q, got %q", name, want, got)
		}
	}
}

// Each source leaves its claims on the real predicates, with the place it was read at.
func TestInferEvidence(t *testing.T) {
	o, _ := lowerOne(t, `{"name":"delete_user","annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}`)
	var got []string
	for _, c := range o.Evidence {
		got = append(got, fmt.Sprint(c.Predicate, "=", string(c.Value), " ", c.Source, " ", c.SourceRef, " ", c.Method))
	}
	want := []string{
		`archetype="transaction" inferred  nothing-else`,
		`confirmation.required=true inferred  unknown-is-not-safe`,
		`effect.kind="read" hint /annotations/readOnlyHint annotation`,
		`effect.kind="mutation" name /name verb:delete`,
		`effect.openWorld=false hint /annotations/openWorldHint annotation`,
		`effect.reversible=true hint /annotations/readOnlyHint annotation`,
		`effect.reversible=false inferred  unknown-is-not-safe`,
		`effect.reversible=false name /name verb:delete`,
		`effect.risk="medium" inferred  unknown-is-not-safe`,
		`effect.risk="destructive" name /name verb:delete`,
		`idempotency.mode="natural" hint /annotations/idempotentHint annotation`,
		`idempotency.mode="none" inferred  unknown-is-not-safe`,
		`retries.mode="none" inferred  unknown-is-not-safe`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r := o.Resolve(air.PredicateKind); r.Status != air.Conflicted {
		t.Errorf("a hint against a name is %s, want conflicted", r.Status)
	}
}

var hintNames = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// withHints returns the annotations for one of the 81 ways to leave out, set or clear the four hints.
func withHints(way int) string {
	var members []string
	for _, name := range hintNames {
		if v := way % 3; v > 0 {
			members = append(members, fmt.Sprintf(`%q:%t`, name, v == 2))
		}
		way /= 3
	}
	return "{" + strings.Join(members, ",") + "}"
}

// checkHints holds the promise on hints for one tool, given without its annotations: no hint makes it less safe than none, but for
// readOnlyHint, which makes a read of it that is still confirmed and never retried.
func checkHints(t *testing.T, members string, ways ...int) {
	t.Helper()
	lowered := func(tool string) air.Operation {
		o := Bridge(snapshotOf(t, "s", tool)).Operations[0]
		checkPosture(t, o)
		return o
	}
	bare := lowered("{" + members + "}")
	for _, way := range ways {
		hinted := lowered("{" + members + `,"annotations":` + withHints(way) + "}")
		if hinted.Effect.Kind == air.Read {
			if !strings.Contains(withHints(way), `"readOnlyHint":true`) || !slices.Contains(hinted.ReviewNotes, unverifiedNote) {
				t.Errorf("%s with %s is a read without the hint, or without a note", members, withHints(way))
			}
			continue // checkPosture has seen that it is confirmed and not retried
		}
		if looser := hinted.LooserThan(bare); len(looser) > 0 {
			t.Errorf("%s with %s is less safe on %v", members, withHints(way), looser)
		}
	}
}

func allWays() (ways []int) {
	for way := range 81 {
		ways = append(ways, way)
	}
	return ways
}

func TestHintsNeverLoosen(t *testing.T) {
	for _, members := range []string{
		`"name":"thing"`, `"name":"get_user"`, `"name":"delete_user"`, `"name":"send_email"`, `"name":"payment_methods"`, `"name":"secure_payment"`,
		`"name":"payment_console","inputSchema":{"properties":{"sql":{}}}`, `"name":"order_history"`, `"name":"get_or_create_order"`,
		`"name":"x","description":"Shows x. It will be deleted."`, `"name":"x","description":"Deletes x."`,
		`"name":"x","description":"Shows x. It will be erased.","inputSchema":{"properties":{"force":{},"shell":{}}}`,
	} {
		checkHints(t, members, allWays()...)
	}
}

// checkSurfaceHints holds the same for every eighth tool of a surface: readOnlyHint alone, and one other way.
func checkSurfaceHints(t *testing.T, s *surface.McpSurfaceSnapshot) {
	t.Helper()
	for i, tool := range s.Tools() {
		if i%8 > 0 {
			continue
		}
		var members []string
		for _, m := range tool.Node.Members {
			if m.Name != "annotations" {
				members = append(members, string(m.RawName)+":"+string(m.Value.Raw))
			}
		}
		checkHints(t, strings.Join(members, ","), 2, (i*7)%81)
	}
}

func TestVerbTables(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range []string{readWords, neutralWords, writeWords, highWords, financialWords, destructiveWords} {
		words := strings.Fields(table)
		if !slices.IsSorted(words) {
			t.Errorf("a table is not sorted: %s", words[0])
		}
		for _, w := range words {
			base := strings.TrimSuffix(w, "~")
			if seen[base] {
				t.Errorf("%q stands twice", base)
			}
			seen[base] = true
		}
	}
	for _, row := range strings.Fields(actionWords) {
		_, words, _ := strings.Cut(row, ":")
		for w := range strings.SplitSeq(words, ",") {
			if !seen[w] {
				t.Errorf("the action of %q is given, and no class", w)
			}
		}
	}
}
