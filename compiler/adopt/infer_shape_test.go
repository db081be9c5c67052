package adopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/tokens"
)

// schemaOf writes an object schema of "name:type" words; "!" in front makes one required.
func schemaOf(members string) string {
	var properties, required []string
	for _, m := range strings.Fields(members) {
		name, kind, _ := strings.Cut(m, ":")
		if plain, ok := strings.CutPrefix(name, "!"); ok {
			name, required = plain, append(required, fmt.Sprintf("%q", plain))
		}
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q}`, name, kind))
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(properties, ","), strings.Join(required, ","))
}

func TestPagination(t *testing.T) {
	tests := []struct{ tool, members, want string }{
		{"list_users", "cursor:string limit:integer", "cursor cursor limit"},
		{"search_code", "pageToken:string pageSize:number", "cursor pageToken pageSize"},
		{"listIssues", "page:integer per_page:integer", "page page per_page"},
		{"find_rows", "startAt:integer maxResults:integer", "offset startAt maxResults"},
		{"get_messages", "offset:integer", "offset offset "},
		{"get_user_list", "page:integer", "page page "},
		{"list_items", "next_url:string", "link next_url "},
		{"list_items", "starting_after:string limit:integer", "cursor starting_after limit"},

		{"list_items", "limit:integer", ""},                             // a bound is no continuation
		{"list_items", "cursor:string page:integer", ""},                // two ways to go on
		{"list_items", "page:string", ""},                               // a page's name
		{"list_items", "cursor:integer", ""},                            // a number is no cursor
		{"list_items", "after:integer since:string from:integer", ""},   // dates and counts
		{"list_items", "page:integer count:integer", "page page "},      // count is refused
		{"list_items", "page:integer size:integer", "page page "},       // size is
		{"list_items", "page:integer maxRecords:integer", "page page "}, // maxRecords is
		{"list_items", "page:integer limit:integer page_size:integer", "page page page_size"},
		{"list_items", "page:integer limit:integer top:integer", "page page "}, // which of the two
		{"list_items", "page:integer limit:string", "page page "},              // text bounds nothing
		{"get_item", "page:integer", ""},                                       // one item
		{"get_settings", "page:integer", ""},                                   // one thing in the plural
		{"read_file", "offset:integer limit:integer", ""},                      // lines of a file
		{"count_users", "page:integer", ""},                                    // a number
		{"delete_users", "page:integer", ""},                                   // a change
		{"list_and_delete_users", "page:integer", ""},                          // likewise
		{"research", "page:integer", ""},                                       // not "search"
	}
	for _, test := range tests {
		o, _ := lowerOne(t, fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, test.tool, schemaOf(test.members)))
		got := ""
		if p := o.Pagination; p != nil {
			got = fmt.Sprintf("%s %s %s", p.Style, p.CursorParam, p.PageSizeParam)
			if r := o.Resolve(air.PredicatePagination); r.Status != air.Resolved || string(r.Value) != `"`+string(p.Style)+`"` || o.Archetype != air.ArchetypeSearch {
				t.Errorf("%s(%s): pages as a %s, on the evidence %+v", test.tool, test.members, o.Archetype, r)
			}
		}
		if got != test.want {
			t.Errorf("%s(%s): want %q, got %q", test.tool, test.members, test.want, got)
		}
	}
}

// Bounds of a page and the members of an answer are read where the schemas state them.
func TestPaginationDetails(t *testing.T) {
	o, _ := lowerOne(t, `{"name":"list_users",
	  "inputSchema":{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer","maximum":100,"default":20}}},
	  "outputSchema":{"type":"object","properties":{"users":{"type":"array"},"next_cursor":{"type":"string"},"total":{"type":"integer"}}}}`)
	want := &air.Pagination{Style: air.PaginationCursor, CursorParam: "cursor", NextField: "/next_cursor", ItemsField: "/users", PageSizeParam: "limit"}
	if o.Pagination != nil && o.Pagination.MaxPageSize == 100 {
		want.MaxPageSize, want.DefaultPageSize = 100, 20
	}
	if diff := cmp.Diff(want, o.Pagination); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	o, _ = lowerOne(t, `{"name":"list_users","inputSchema":{"properties":{"page":{"type":"integer"},"limit":{"type":"integer","maximum":1e2,"default":-5}}},
	  "outputSchema":{"properties":{"a":{"type":"array"},"b":{"type":"array"},"next":{},"next_page":{}}}}`)
	want = &air.Pagination{Style: air.PaginationPage, CursorParam: "page", PageSizeParam: "limit", MaxPageSize: 100}
	if diff := cmp.Diff(want, o.Pagination); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestArchetypes(t *testing.T) {
	tests := []struct {
		tool, members string
		want          air.Archetype
	}{
		{"get_user", "id:string", air.ArchetypeTransaction},
		{"create_user", "name:string", air.ArchetypeTransaction},
		{"list_users", "", air.ArchetypeSearch},
		{"get_users", "", air.ArchetypeSearch},
		{"get_issue_details", "", air.ArchetypeTransaction},
		{"pods_get", "", air.ArchetypeTransaction},
		{"upload_file", "", air.ArchetypeFileTransfer},
		{"read_file", "path:string", air.ArchetypeFileTransfer},
		{"get_file_contents", "path:string", air.ArchetypeFileTransfer},
		{"get_file_info", "path:string", air.ArchetypeTransaction},
		{"get_files", "", air.ArchetypeSearch},
		{"set_avatar", "image_base64:string", air.ArchetypeFileTransfer},
		{"bulk_delete_users", "", air.ArchetypeBulk},
		{"read_multiple_files", "", air.ArchetypeBulk},
		{"run_sql", "sql:string", air.ArchetypeQueryPassthrough},
		{"run_gcloud_command", "args:array", air.ArchetypeQueryPassthrough},
		{"create_app", "build_command:string name:string", air.ArchetypeTransaction},
		{"add_statement", "importStatement:string", air.ArchetypeTransaction},
	}
	for _, test := range tests {
		o, _ := lowerOne(t, fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, test.tool, schemaOf(test.members)))
		if o.Archetype != test.want {
			t.Errorf("%s(%s) is a %s, want %s", test.tool, test.members, o.Archetype, test.want)
		}
		if passthrough := o.Archetype == air.ArchetypeQueryPassthrough; passthrough && !o.Confirmation.HumanApproval {
			t.Errorf("%s runs what its caller writes, on a model's yes", test.tool)
		}
	}
}

func TestLongRunning(t *testing.T) {
	d := Bridge(snapshotOf(t, "s", `{"name":"crawl"}`, `{"name":"start_scan"}`, `{"name":"check_crawl_status","inputSchema":`+schemaOf("!job_id:string verbose:boolean")+`}`,
		`{"name":"scan_status","inputSchema":`+schemaOf("scan_id:string")+`}`, `{"name":"get_scan_progress","inputSchema":`+schemaOf("id:string")+`}`,
		`{"name":"git_status","inputSchema":`+schemaOf("path:string")+`}`, `{"name":"git_init"}`,
		`{"name":"export_all","execution":{"taskSupport":"optional"}}`, `{"name":"build","execution":{"taskSupport":"forbidden"}}`,
		`{"name":"rebuild","description":"Rebuilds the index in the background."}`, `{"name":"touch","description":"Touches it. Does not run in the background."}`,
		`{"name":"get_result","description":"Gets the result; poll until it is there. Keep polling."}`))
	got := map[string]string{}
	for _, o := range d.Operations {
		if l := o.LongRunning; l != nil {
			got[o.MCP.ToolName] = strings.TrimSpace(fmt.Sprint(l.Means, " ", l.StatusOperation, " ", l.StatusParam))
			if o.Archetype != air.ArchetypeLongRunning || len(o.Resolve(air.PredicateLongRunning).Value) == 0 {
				t.Errorf("%s: a %s, on %+v", o.ID, o.Archetype, o.Resolve(air.PredicateLongRunning))
			}
		}
	}
	// Two operations tell of scans, so neither is believed.
	want := map[string]string{"crawl": "job s.check_crawl_status job_id", "export_all": "task", "rebuild": "wait"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if found := air.Validate(d); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// A key argument is recorded, and nothing follows from it until a person vouches for the server.
func TestIdempotencyKey(t *testing.T) {
	for members, want := range map[string]string{
		"idempotency_key:string": "argument idempotency_key client_supplied", "!clientToken:string": "argument clientToken client_supplied",
		"requestKey:string": "argument requestKey client_supplied", "request-key:string": "argument request-key client_supplied", "requestkey:string": "argument requestkey client_supplied",
		"key:string request_id:string": "none  none", "idempotencyKey:integer": "none  none", "idempotency_key:string client_token:string": "none  none",
	} {
		o, _ := lowerOne(t, `{"name":"create_thing","inputSchema":`+schemaOf(members)+`}`)
		i := o.Idempotency
		if got := fmt.Sprint(i.Mechanism, " ", i.Key, " ", i.KeyDerivation); got != want || i.Mode != air.IdempotencyNone || o.Retries.Mode != air.RetryNone {
			t.Errorf("%s: want %q, got %q, mode %s, retries %s", members, want, got, i.Mode, o.Retries.Mode)
		}
	}
	o, _ := lowerOne(t, `{"name":"create_thing","inputSchema":`+schemaOf("!client_token:string")+`}`)
	for _, c := range []struct {
		predicate air.Predicate
		value     []byte
	}{{air.PredicateIdempotency, air.ValueOf(air.IdempotencyRequired)}, {air.PredicateRetries, air.ValueOf(air.RetrySafe)}} {
		o.Evidence = append(o.Evidence, air.Claim{Subject: o.ID, Predicate: c.predicate, Value: c.value, Source: air.FromPerson, SourceRef: "ada", Method: "read the code", Confidence: 1, Review: air.Accepted})
	}
	o = o.Settled()
	if o.Idempotency.Mode != air.IdempotencyRequired || o.Retries.Mode != air.RetrySafe || o.Retries.Basis != air.BasisIdempotencyKey {
		t.Errorf("a person vouches, and the mode is %s, retries are %+v", o.Idempotency.Mode, o.Retries)
	}
}

// What a tool costs is what the estimator counts of the form that models are given.
func TestDisclosureCost(t *testing.T) {
	s := snapshotOf(t, "s", `{"name":"get_user","description":"Reads one.","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`, `7`)
	d := Bridge(s)
	for _, o := range d.Operations {
		it, _ := s.Find("tool", o.MCP.ToolName)
		want := air.Cost{}
		if it.Node.IsObject() {
			want = air.Cost{ToolTokens: tokens.O200k.Count(string(it.ModelForm())), Estimator: tokens.O200k.Name()}
		}
		if o.DisclosureCost != want {
			t.Errorf("%s costs %+v, want %+v", o.ID, o.DisclosureCost, want)
		}
	}
}

// Corrections that came of reading the captured servers' tools row by row.
func TestJudgedWords(t *testing.T) {
	for tool, want := range map[string]string{
		"transferCollectionFolders": "update medium", "transfer_funds": "execute financial", "wire_transfer": "execute financial", "claims_release": "update medium",
		"release_version": "execute high", "restore_snapshot": "replace destructive", "restore_item": "replace medium", "set_root_password": "update high",
		"createPublicKey": "create high", "add_member": "create high", "remove_member": "delete destructive", "mail_createMailbox": "create medium",
		"draft_email": "create medium", "create_email": "create high", "reviewPullRequest": "other medium", "create_manual_journal": "create financial",
		"set-leverage": "update financial", "post-search": "search medium", "run_search": "execute high", "recreate_vm": "delete destructive",
		"hooks_post-task": "other medium", "policy_evaluate": "other medium", "evaluate_script": "execute high", "updateFirewallRule": "update high",
		"write_file": "replace high", "get_user_list": "list medium",
	} {
		o, _ := lowerOne(t, fmt.Sprintf(`{"name":%q}`, tool))
		if got := fmt.Sprint(o.Effect.Action, " ", o.Effect.Risk); got != want {
			t.Errorf("%s: want %s, got %s", tool, want, got)
		}
	}
	o, _ := lowerOne(t, `{"name":"rename_table","inputSchema":`+schemaOf("name:string dropTarget:boolean")+`}`)
	if o.Effect.Risk != air.RiskDestructive {
		t.Errorf("a rename that drops its target is of %s risk", o.Effect.Risk)
	}
}
