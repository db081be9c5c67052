package facade

import (
	"net/http"
	"strings"
	"testing"
)

func TestHeadersSayWhatTheMessageSays(t *testing.T) {
	tool := `{"name":"route","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Zone"}}}}}}`
	u := modernUpstream(t, nil)
	u.tools = append(u.tools, tool)
	f, _ := modernFacade(t, u, Options{Exposure: exposeAll(t, addTool, tool)})
	c := newWeb(t, f)
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	unset := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	twice := func(name, value string) func(http.Header) { return func(h http.Header) { h.Add(name, value) } }
	route := modern("1", methodCall, `"name":"route","arguments":{"region":"é","n":{"zone":7}}`)
	routed := func(region, zone string) func(http.Header) {
		return func(h http.Header) {
			if region != "" {
				h.Set("Mcp-Param-Region", region)
			}
			if zone != "" {
				h.Set("Mcp-Param-Zone", zone)
			}
		}
	}
	call := modern("1", methodCall, `"name":"add"`)
	for _, tt := range []struct {
		name, frame string
		change      func(http.Header)
		status      int
		code        string
	}{
		{"as it should be", call, nil, 200, ""},
		{"no version header", call, unset(headerVersion), 400, "-32020"},
		{"another version in the header", call, set(headerVersion, "2027-01-01"), 400, "-32020"},
		{"two version headers", call, twice(headerVersion, "2026-07-28"), 400, "-32020"},
		{"no method header", call, unset(headerMethod), 400, "-32020"},
		{"another method", call, set(headerMethod, "tools/list"), 400, "-32020"},
		{"the method in capitals", call, set(headerMethod, "TOOLS/CALL"), 400, "-32020"},
		{"two methods", call, twice(headerMethod, "tools/list"), 400, "-32020"},
		{"no name", call, unset(headerName), 400, "-32020"},
		{"another name", call, set(headerName, "delete"), 400, "-32020"},
		{"two names", call, twice(headerName, "delete"), 400, "-32020"},
		{"the name in base64", call, set(headerName, "=?base64?YWRk?="), 200, ""},
		{"another name in base64", call, set(headerName, "=?base64?ZGVsZXRl?="), 400, "-32020"},
		{"base64 that is none", call, set(headerName, "=?base64?*?="), 400, "-32020"},
		{"a name for a list", modern("1", methodList, ""), set(headerName, "x"), 200, ""},
		{"another uri", modern("1", methodRead, `"uri":"mem://a"`), set(headerName, "mem://b"), 400, "-32020"},
		{"arguments repeated", route, routed("=?base64?w6k=?=", "7"), 200, ""},
		{"an argument not repeated", route, routed("=?base64?w6k=?=", ""), 400, "-32020"},
		{"another argument", route, routed("eu", "7"), 400, "-32020"},
		{"a header without its argument", modern("1", methodCall, `"name":"route","arguments":{}`), routed("eu", ""), 400, "-32020"},
		{"version in the header alone", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 400, "-32602"},
		{"an unknown version", strings.Replace(modern("1", methodList, ""), "2026-07-28", "2027-01-01", 1), set(headerVersion, "2027-01-01"), 400, "-32022"},
		{"an unknown method", modern("1", "initialize", ""), nil, 404, "-32601"},
	} {
		status, got := c.modernAsk(tt.frame, tt.change)
		if status != tt.status || tt.code != "" && !strings.Contains(got, `"code":`+tt.code) || tt.code == "" && strings.Contains(got, `"error"`) {
			t.Errorf("%s: got %d %s", tt.name, status, got)
		}
		if !strings.Contains(got, `"id":1`) {
			t.Errorf("%s: the answer is to nothing that was asked: %s", tt.name, got)
		}
	}
}
