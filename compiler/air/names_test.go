package air

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestServiceID(t *testing.T) {
	for name, want := range map[string]string{
		"":                        "server-e3b0c442",
		"3scale":                  "server-3scale-dc110665",
		"Azure DevOps MCP":        "azure-devops-mcp",
		"@scope/name":             "scope-name",
		"ai.perplexity/mcp":       "ai-perplexity-mcp",
		"chrome_devtools":         "chrome_devtools",
		"Ünïcode 服务":              "unicode-",
		"服务":                      "server-",
		"🚀":                       "server-",
		"c++":                     "c-",
		"c#":                      "c-",
		"_x":                      "x-",
		strings.Repeat("ab", 150): strings.Repeat("ab", 27) + "a-",
	} {
		got := ServiceID(name)
		if !ValidServiceID(got) || got != want && !(strings.HasSuffix(want, "-") && strings.HasPrefix(got, want) && len(got) == len(want)+8) {
			t.Errorf("ServiceID(%q) = %q, want %q and a hash where it ends in -", name, got, want)
		}
	}
}

func TestCanonicalName(t *testing.T) {
	for name, want := range map[string]string{
		"getHTTPResponse": "get_http_response", "get-http.response": "get_http_response", "API-post-search": "api_post_search",
		"listOrdersV1": "list_orders_v1", "UpdateDomainCertV4": "update_domain_cert_v4", "3d_model": "3d_model", "r2_list": "r2_list",
		"naïveCafé": "naive_cafe", "查询": "tool_", "查询_get": "get_", "": "tool_", "🚀": "tool_", strings.Repeat("a", 300): strings.Repeat("a", 87) + "_",
	} {
		got := CanonicalName(name)
		if got != want && !(strings.HasSuffix(want, "_") && strings.HasPrefix(got, want) && len(got) == len(want)+8) {
			t.Errorf("CanonicalName(%q) = %q, want %q and a hash where it ends in _", name, got, want)
		}
	}
	if CanonicalName("查询") == CanonicalName("删除") {
		t.Error("two names beyond Latin fold to one")
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"TwilioMessagingV1--CreateAlphaSender": "twilio messaging v1 create alpha sender", "im.v1.chatMembers.get": "im v1 chat members get",
		"DELETE_USER": "delete user", "research": "research", "undelete": "undelete", "delete2": "delete2", "": "",
	} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "3scale", "Ünïcode 服务", "\xff", "a\x00b", "ß", "İ", "-_-"} {
		f.Add(s)
	}
	canonical := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, name string) {
		if id := ServiceID(name); !ValidServiceID(id) || id != ServiceID(name) {
			t.Errorf("ServiceID(%q) = %q", name, id)
		}
		if c := CanonicalName(name); !canonical.MatchString(c) || len(c) > maxCanonical {
			t.Errorf("CanonicalName(%q) = %q", name, c)
		}
		if slices.ContainsFunc(Words(name), func(w string) bool { return w == "" || !utf8.ValidString(w) }) {
			t.Errorf("Words(%q) = %q", name, Words(name))
		}
	})
}
