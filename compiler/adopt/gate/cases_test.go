package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"anvil/compiler/diag"
)

// reported is a fault that somebody reported in public, in a surface of our own, and what the gate says of it.
type reported struct {
	report  string // OWNER/REPO#N
	tools   string // the list
	options Options
	rules   []string // whose findings are compared
	want    []string // class, rule, axis ("everyone"), radius, tool and pointer of each of their findings
	says    []string // in the message, hint or witness of each of them
}

const (
	plainInput = `"inputSchema":{"type":"object","properties":{}}`
	old        = "2025-11-25"
	stateless  = "2026-07-28"
)

// arrayClients refuse every request with an array schema that has no items.
var arrayClients = []string{"copilot-cli", "gemini", "openai-chat", "openai-responses", "openai-strict", "vscode-copilot"}

// onClients returns the same finding on the axis of each client.
func onClients(clients []string, class, rule, rest string) []string {
	var lines []string
	for _, id := range clients {
		lines = append(lines, fmt.Sprintf("%s %s client:%s %s", class, rule, id, rest))
	}
	return lines
}

func tool(name, rest string) string { return `{"name":"` + name + `",` + rest + `}` }

func taking(name, properties string) string {
	return tool(name, `"inputSchema":{"type":"object","properties":{`+properties+`}}`)
}

// rootCases are reports of what stands at the root of a schema.
var rootCases = []reported{
	{report: "anthropics/claude-code#5973", rules: []string{"root-composition"}, options: Options{Clients: everyClient()},
		tools: taking("ok", "") + `,` + tool("pay", `"inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"required":["a"]}]}`),
		want:  onClients([]string{"anthropic-api", "bedrock", "claude-code"}, "error", "root-composition", "client pay /inputSchema/oneOf"), says: []string{`tool "pay"`}},
	{report: "zereight/gitlab-mcp#550", rules: []string{"root-composition"}, options: Options{Clients: []string{"bedrock"}},
		tools: taking("before", "") + `,` + tool("added", `"inputSchema":{"type":"object","properties":{},"anyOf":[{"required":[]}]}`),
		want: []string{"info root-composition client:anthropic-api client added /inputSchema/anyOf", "error root-composition client:bedrock client added /inputSchema/anyOf",
			"info root-composition client:claude-code client added /inputSchema/anyOf"}},
	{report: "decocms/studio#6874", rules: []string{"root-composition"}, options: Options{Clients: everyClient()},
		tools: taking("a", "") + `,` + taking("b", "") + `,` + tool("bad", `"inputSchema":{"type":"object","properties":{},"allOf":[]}`),
		want:  onClients([]string{"anthropic-api", "bedrock", "claude-code"}, "error", "root-composition", "client bad /inputSchema/allOf")},
	{report: "anthropics/claude-code#88049", rules: []string{"root-not-object"}, options: Options{Clients: everyClient()},
		tools: taking("ok", "") + `,` + tool("t", `"inputSchema":{"anyOf":[{"type":"object"},{"type":"object"}]}`),
		want:  []string{"error root-not-object client:claude-code server t /inputSchema", "error root-not-object spec:" + old + " server t /inputSchema"}},
	{report: "zereight/gitlab-mcp#286", rules: []string{"root-not-object"}, tools: tool("a", `"inputSchema":{}`) + `,` + tool("b", `"inputSchema":{}`),
		want: []string{"info root-not-object client:claude-code server a /inputSchema", "error root-not-object spec:" + old + " server a /inputSchema",
			"info root-not-object client:claude-code server b /inputSchema", "error root-not-object spec:" + old + " server b /inputSchema"},
		says: []string{`{"type": "object", "properties": {}}`}},
	{report: "WebMCP-org/npm-packages#117", rules: []string{"root-not-object", "invalid-schema", "no-properties-key"}, options: Options{Clients: everyClient()},
		tools: taking("ok", "") + `,` + tool("t", `"inputSchema":{}`),
		want:  []string{"error root-not-object client:claude-code server t /inputSchema", "error root-not-object spec:" + old + " server t /inputSchema"}},
	{report: "kenn-io/msgvault#626", rules: []string{"output-not-object"},
		tools: tool("a", plainInput+`,"outputSchema":{"type":["null","array"],"items":{}}`) + `,` + tool("b", plainInput+`,"outputSchema":{"properties":{}}`),
		want:  []string{"error output-not-object spec:" + old + " server a /outputSchema/type", "error output-not-object spec:" + old + " server b /outputSchema"}},
	{report: "opentokenz/mcpx#28", rules: []string{"root-not-object", "output-not-object"}, tools: tool("t", `"inputSchema":{"type":"string"},"outputSchema":{"type":"array","items":{}}`),
		want: []string{"info root-not-object client:claude-code server t /inputSchema/type", "error root-not-object spec:" + old + " server t /inputSchema/type",
			"error output-not-object spec:" + old + " server t /outputSchema/type"}},
	{report: "xpzouying/xiaohongshu-mcp#677", rules: []string{"root-not-object", "no-properties-key"}, options: Options{Clients: []string{"openai-chat"}}, tools: tool("t", `"inputSchema":{"type":"object"}`),
		want: []string{"warning no-properties-key client:openai-chat client t /inputSchema", "info no-properties-key client:openai-responses client t /inputSchema"}},
}

// shapeCases are reports of what stands in a schema.
var shapeCases = []reported{
	{report: "rootlyhq/rootly-mcp-server#82", rules: []string{"array-no-items"}, options: Options{Clients: everyClient()}, tools: taking("t", `"ids":{"type":"array"}`),
		want: onClients(arrayClients, "error", "array-no-items", "client t /inputSchema/properties/ids"), says: []string{`"items": {}`}},
	{report: "docker/mcp-gateway#275", rules: []string{"array-no-items"}, options: Options{Clients: everyClient()},
		tools: taking("t", `"a":{"type":["string","array"]},"b":{"anyOf":[{"type":"string"},{"type":"array"}]}`),
		want: append(onClients(arrayClients, "error", "array-no-items", "client t /inputSchema/properties/a"),
			onClients(arrayClients, "error", "array-no-items", "client t /inputSchema/properties/b/anyOf/1")...)},
	{report: "makafeli/n8n-workflow-builder#25", rules: []string{"array-no-items"}, options: Options{Clients: everyClient()}, tools: taking("t", `"nodes":{"type":"array","items":{}}`)},
	{report: "microsoft/copilot-for-eclipse#325", rules: []string{"nullable-union"}, options: Options{Clients: []string{"copilot-eclipse"}}, tools: taking("t", `"a":{"type":["string","null"]}`),
		want: []string{"error nullable-union client:copilot-eclipse server t /inputSchema/properties/a/type", "info nullable-union client:gemini client t /inputSchema/properties/a/type"}},
	{report: "microsoft/vscode#263986", rules: []string{"tuple-array"}, options: Options{Clients: []string{"vscode-copilot"}},
		tools: taking("t", `"p":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}]}}]}`),
		want:  []string{"error tuple-array client:vscode-copilot client t /inputSchema/properties/p/anyOf/1/items/prefixItems"}},
	{report: "davideast/stitch-mcp#184", rules: []string{"dangling-ref"},
		tools: tool("ok", `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`) + `,` +
			tool("t", `"inputSchema":{"type":"object","properties":{},"$defs":{"s":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}}}`),
		want: []string{"error dangling-ref spec:" + old + " tool t /outputSchema/properties/a/$ref"}},
	{report: "PrefectHQ/fastmcp#2808", rules: []string{"unsupported-keyword", "dangling-ref"}, options: Options{Clients: []string{"claude-desktop-older"}},
		tools: taking("ok", "") + `,` + tool("t", `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`),
		want:  []string{"warning unsupported-keyword client:claude-desktop-older tool t /inputSchema/$defs", "info unsupported-keyword client:gemini client t /inputSchema/properties/a/$ref"}},
	{report: "Mnehmos/mnehmos.rpg.mcp#73", rules: []string{"dangling-ref", "pointer-ref"}, tools: taking("t", `"x":{"type":"array","items":{"type":"string"}},"y":{"$ref":"#/properties/x/items"}`),
		want: []string{"warning pointer-ref everyone - t /inputSchema/properties/y/$ref"}},
	{report: "APIDevTools/json-schema-ref-parser#271", rules: []string{"dangling-ref", "ref-cycle"}, tools: taking("t", `"a":{"$ref":"#/properties/a"}`),
		want: []string{"error ref-cycle everyone - t /inputSchema/properties/a/$ref"}},
	{report: "ComposioHQ/composio#2330", rules: []string{"property-key-charset"}, options: Options{Clients: []string{"anthropic-api", "claude-code"}},
		tools: taking("t", `"`+strings.Repeat("k", 70)+`":{"type":"string"}`), says: []string{"70 characters, where 64 are taken"},
		want: onClients([]string{"anthropic-api", "claude-code"}, "error", "property-key-charset", "client t /inputSchema/properties/"+strings.Repeat("k", 70))},
	{report: "zendev-sh/goai#108", rules: []string{"unsupported-keyword"}, options: Options{Clients: []string{"gemini"}},
		tools: taking("t", `"a":{"const":1},"b":{"type":"number","exclusiveMinimum":0,"default":2},"c":{"type":"number","default":3}`),
		want:  []string{"warning unsupported-keyword client:gemini client t /inputSchema/properties/b/exclusiveMinimum"},
		says:  []string{"/properties/a/const", "/properties/b/exclusiveMinimum", "/properties/b/default", "/properties/c/default"}},
	{report: "weave-os/router#65", rules: []string{"non-string-enum"}, options: Options{Clients: []string{"gemini"}}, tools: taking("t", `"a":{"type":"integer","enum":[1,2]}`),
		want: []string{"error non-string-enum client:gemini client t /inputSchema/properties/a/enum/0"}},
	{report: "anomalyco/opencode#11889", rules: []string{"object-words-elsewhere"}, options: Options{Clients: []string{"gemini"}}, tools: taking("t", `"a":{"type":"string","properties":{}}`),
		want: []string{"error object-words-elsewhere client:gemini client t /inputSchema/properties/a/properties"}},
	{report: "sbroenne/mcp-server-excel#672", rules: []string{"composition-in-items"}, options: Options{Clients: []string{"gemini"}},
		tools: taking("t", `"rows":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`),
		want:  []string{"error composition-in-items client:gemini client t /inputSchema/properties/rows/items/anyOf"}},
	{report: "BerriAI/litellm#24668", rules: []string{"description-missing", "malformed-item"}, options: Options{Clients: []string{"bedrock"}},
		tools: tool("t", `"description":"",`+plainInput) + `,` + tool("", `"description":"Lists.",`+plainInput),
		want: []string{"error malformed-item spec:" + old + " server - ", "warning description-missing everyone - t /description",
			"error description-missing client:bedrock client t /description"}},
}

// nameCases are reports of names, and of how many there are.
var nameCases = []reported{
	{report: "awslabs/mcp#3181", rules: []string{"name-length"}, options: Options{Server: "awslabs", Clients: []string{"bedrock"}}, tools: taking(strings.Repeat("n", 67), ""), says: []string{"67 characters"},
		want: append(onClients([]string{"bedrock"}, "error", "name-length", "client "+strings.Repeat("n", 67)+" /name"), onClientsInfo("cursor tool", "claude-code client", "gemini client", "openai-chat client", "openai-strict client")...)},
	{report: "awslabs/agent-plugins#131", rules: []string{"name-length"}, options: Options{Server: "deploy-on-aws", Plugin: "deploy-on-aws", Clients: []string{"claude-code"}}, tools: taking(strings.Repeat("m", 30), ""),
		want: []string{"warning name-length client:claude-code client " + strings.Repeat("m", 30) + " /name"}, says: []string{"mcp__plugin_deploy-on-aws_deploy-on-aws__"}},
	{report: "executeautomation/mcp-playwright#145", rules: []string{"name-length"}, options: Options{Server: "executeautomation-playwright-server", Clients: []string{"cursor"}}, tools: taking("playwright_custom_user_agent", ""),
		want: []string{"info name-length client:claude-code client playwright_custom_user_agent /name", "error name-length client:cursor tool playwright_custom_user_agent /name"}, says: []string{"63 characters"}},
	{report: "github/copilot-cli#1879", rules: []string{"name-charset"}, options: Options{Clients: []string{"anthropic-api", "openai-chat"}}, tools: taking("a.b", "") + `,` + taking("a/b", ""),
		want: slices.Concat(
			onClients([]string{"anthropic-api", "openai-chat"}, "error", "name-charset", "client a.b /name"), onClients([]string{"bedrock", "claude-code", "copilot-cli", "openai-responses", "openai-strict"}, "info", "name-charset", "client a.b /name"),
			onClients([]string{"anthropic-api", "openai-chat"}, "error", "name-charset", "client a/b /name"), onClients([]string{"bedrock", "claude-code", "copilot-cli", "gemini", "openai-responses", "openai-strict"}, "info", "name-charset", "client a/b /name"),
			[]string{"warning name-charset spec:" + old + " tool a/b /name"})},
	{report: "wonderwhy-er/DesktopCommanderMCP#79", rules: []string{"name-charset"}, options: Options{Clients: []string{"gemini"}}, tools: taking("2fa_code", ""),
		want: []string{"error name-charset client:gemini client 2fa_code /name"}, says: []string{`begins with "2"`}},
	{report: "openai/openai-agents-js#1934", rules: []string{"canonical-collision"}, tools: taking("get-user", "") + `,` + taking("get_user", ""),
		want: []string{"error canonical-collision everyone - get_user /name"}},
	{report: "microsoft/vscode-copilot-release#13337", rules: []string{"tool-budget"}, options: Options{Clients: []string{"vscode-copilot"}, MaxTools: 1000}, tools: manyTools(122), says: []string{"122 tools"},
		want: []string{"info tool-budget client:cursor tool - /tools", "info tool-budget client:openai-chat client - /tools", "info tool-budget client:openai-responses client - /tools",
			"error tool-budget client:vscode-copilot client - /tools", "info tool-budget client:windsurf tool - /tools"}},
}

// onClientsInfo are the clients that were not named, with their radius, for the long name of nameCases.
func onClientsInfo(clients ...string) []string {
	var lines []string
	for _, c := range clients {
		id, radius, _ := strings.Cut(c, " ")
		lines = append(lines, fmt.Sprintf("info name-length client:%s %s %s /name", id, radius, strings.Repeat("n", 67)))
	}
	return lines
}

func manyTools(n int) string {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = taking(fmt.Sprintf("t%d", i), "")
	}
	return strings.Join(tools, ",")
}

// TestReportedCases shows each fault in a surface as small as it can be. The findings of the rules that it concerns are exactly those wanted.
func TestReportedCases(t *testing.T) {
	for _, c := range slices.Concat(rootCases, shapeCases, nameCases) {
		t.Run(c.report, func(t *testing.T) {
			s := parsed(t, `{"initialize":{"protocolVersion":"`+old+`","capabilities":{"tools":{}}},"tools":[`+c.tools+`]}`)
			compareReported(t, c, Check(s, c.options).Findings)
		})
	}
}

func compareReported(t *testing.T, c reported, findings []diag.Finding) {
	t.Helper()
	var got []string
	for _, f := range findings {
		if !slices.Contains(c.rules, f.Rule) {
			continue
		}
		axis := cmp.Or(f.Axis, "everyone")
		got = append(got, fmt.Sprintf("%s %s %s %s %s %s", f.Class, f.Rule, axis, cmp.Or(f.Radius, "-"), cmp.Or(f.Tool, "-"), f.Pointer))
		if f.Axis != "" && f.Confirmed == "" {
			t.Errorf("%s on %s does not say when it was confirmed", f.Rule, f.Axis)
		}
		for _, words := range c.says {
			if text := f.Message + f.Hint + string(f.Witness); f.Class != diag.Info && !strings.Contains(text, words) {
				t.Errorf("%s on %s does not say %s: %s", f.Rule, axis, words, text)
			}
		}
	}
	slices.Sort(got)
	if diff := gocmp.Diff(slices.Sorted(slices.Values(c.want)), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What one revision forbids another allows (kenn-io/msgvault#626).
func TestReportedOutputByRevision(t *testing.T) {
	s := parsed(t, `{"initialize":{"protocolVersion":"`+stateless+`","capabilities":{"tools":{}}},"tools":[`+tool("a", plainInput+`,"outputSchema":{"type":["null","array"],"items":{}}`)+`]}`)
	compareReported(t, reported{rules: []string{"output-not-object"}}, Check(s, Options{Clients: everyClient()}).Findings)
}

// Two servers with one name for a tool (openai/openai-agents-python#1167, #2830): some clients stop, whatever the tools do.
func TestReportedAcrossServers(t *testing.T) {
	findings := CheckTogether([]Surface{
		{Server: "a", Snapshot: parsed(t, `{"tools":[`+taking("search", "")+`]}`)},
		{Server: "b", Snapshot: parsed(t, `{"tools":[`+taking("search", "")+`]}`)},
	}, Options{Clients: []string{"openai-chat"}})
	compareReported(t, reported{rules: []string{"name-across-servers", "tool-shadowing"}, want: []string{"warning name-across-servers everyone - search /name",
		"error name-across-servers client:openai-chat client search /name", "info name-across-servers client:openai-responses client search /name"}}, findings)
}
