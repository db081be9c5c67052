package trapserver

import (
	"maps"
	"strings"
)

// modes are all ways of serving, by name.
var modes = map[string]mode{}

func init() {
	for _, family := range []map[string]mode{
		{"plain": {}}, streamModes, brokenModes, envelopeModes, listModes, openingModes, contentModes, processModes(),
	} {
		maps.Copy(modes, family)
	}
}

// streamModes put something else than messages on stdout, or lay messages out in another way.
var streamModes = map[string]mode{
	"noise-before": {start: func(s *server) {
		s.print("Starting server...\r\n\n[INFO] ready on {stdio}\n{\"level\":\"info\",\"message\":\"up\"}\n\"a string\"\n42\n")
	}},
	"noise-during": {reply: func(r request, body string) text {
		return "GET " + text(r.method) + "\n" + plainReply(r, body) + "{ took: 3 ms }\n"
	}},
	"json-log": {reply: func(r request, body string) text {
		return `{"level":"error","error":"none","method":"GET"}` + "\n" + plainReply(r, body)
	}},
	"bom":         {start: func(s *server) { s.print("\xef\xbb\xbf") }},
	"blank-lines": {reply: func(r request, body string) text { return "\n\r\n  \n" + plainReply(r, body) + "\n\n" }},
	"crlf": {reply: func(r request, body string) text {
		return text(strings.TrimSpace(string(plainReply(r, body)))) + "\r\n"
	}},
	"pretty": {reply: func(r request, body string) text { return indented(plainReply(r, body)) }},
	"spaced": {reply: func(r request, body string) text { return " \t" + plainReply(r, body) }},
	"oversized-notice": {request: func(s *server, r request) bool {
		if r.method == "prompts/list" {
			s.print(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`+"\n", strings.Repeat("x", beyondLimit))
		}
		return false
	}},
	"oversized-reply":   {request: oversized(false)},
	"oversized-id-last": {request: oversized(true)},
	"oversized-text":    {request: sayingBefore("prompts/list", strings.Repeat("log ", beyondLimit/4)+"\n")},
	"oversized-log":     {request: sayingBefore("prompts/list", `{"level":"info","id":1,"message":"`+strings.Repeat("x", beyondLimit)+`"}`+"\n")},
	"oversized-often":   {request: oversizedOften},
	"line-without-end":  {request: withoutEnd},
}

// envelopeModes break the rules of JSON-RPC.
var envelopeModes = map[string]mode{
	"no-jsonrpc":  {reply: func(r request, body string) text { return text(`{"id":` + r.id + `,` + body + "}\n") }},
	"old-jsonrpc": {reply: func(r request, body string) text { return text(`{"jsonrpc":"1.0","id":` + r.id + `,` + body + "}\n") }},
	"string-ids":  {reply: func(r request, body string) text { return text(`{"jsonrpc":"2.0","id":"` + r.id + `",` + body + "}\n") }},
	"decimal-ids": {reply: func(r request, body string) text { return text(`{"jsonrpc":"2.0","id":` + r.id + `.0,` + body + "}\n") }},
	"id-last":     {reply: idLast},
	"escaped-id": {reply: func(r request, body string) text {
		return text(`{"jsonrpc":"2.0","\u0069d":` + r.id + `,` + body + "}\n")
	}},
	"null-id-error": {request: func(s *server, r request) bool {
		if r.method == "tools/list" && s.counts[r.method] == 1 {
			s.print(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}` + "\n")
		}
		return false
	}},
	"null-id-on-notice": {notice: func(s *server, _ string) {
		s.print(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no such notification"}}` + "\n")
	}},
	"null-id-among-two": {request: func(s *server, r request) bool {
		if r.method == "initialize" { // while server/discover waits too
			s.print(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}` + "\n")
		}
		return r.method == "server/discover"
	}},
	"unknown-id": {reply: func(r request, body string) text {
		return `{"jsonrpc":"2.0","id":99999,"result":{}}` + "\n" + plainReply(r, body) + `{"jsonrpc":"2.0","id":"x","result":{}}` + "\n"
	}},
	"duplicate-reply": {reply: func(r request, body string) text { return plainReply(r, body) + plainReply(r, body) }},
	"duplicate-member": {reply: func(r request, body string) text {
		return text(`{"jsonrpc":"2.0","id":0,"id":` + r.id + `,` + body + "}\n")
	}},
	"both-members": {reply: func(r request, body string) text {
		if strings.HasPrefix(body, `"result"`) {
			body += `,"error":null`
		}
		return plainReply(r, body)
	}},
	"batch": {reply: func(r request, body string) text {
		return "[" + text(strings.TrimSpace(string(plainReply(r, body)))) + "]\n"
	}},
	"odd-code": {request: func(s *server, r request) bool {
		if r.method == "server/discover" {
			s.send(r, `"error":{"code":"E_UNKNOWN","message":"what?"}`)
		}
		return r.method == "server/discover"
	}},
	"odd-code-of-list": {request: func(s *server, r request) bool {
		if r.method == "prompts/list" {
			s.send(r, `"error":{"code":"E_BROKEN","message":"the prompts are on fire"}`)
		}
		return r.method == "prompts/list"
	}},
	"server-requests": {request: asking},
}

// contentModes serve what is JSON, and hard to read.
var contentModes = map[string]mode{
	"deep-1000":      {tools: withTool(nested(1_000))},
	"deep-9000":      {tools: withTool(nested(9_000))},
	"invalid-utf8":   {tools: withTool("{\"name\":\"odd\",\"description\":\"\xff\xfe\xc3\",\"inputSchema\":{\"type\":\"object\"}}")},
	"lone-surrogate": {tools: withTool(`{"name":"odd","description":"\ud800","inputSchema":{"type":"object","properties":{"\udfff":{}}}}`)},
	"duplicate-keys": {tools: withTool(`{"name":"odd","description":"a","description":"b","inputSchema":{"type":"object"}}`)},
	"wrong-types":    {tools: withTool(`{"name":"odd","description":5,"inputSchema":"none","annotations":{"readOnlyHint":"yes"}}`)},
	"no-object":      {tools: withTool(`null`)},
	"number-item":    {tools: withTool(`5`)},
	"list-item":      {tools: withTool(`[{"name":"odd","inputSchema":{"type":"object"}}]`)},
	"no-name":        {tools: withTool(`{"description":"d","inputSchema":{"type":"object"}}`)},
	"name-number":    {tools: withTool(`{"name":5,"inputSchema":{"type":"object"}}`)},
	"title-number":   {tools: withTool(`{"name":"odd","title":7,"inputSchema":{"type":"object"}}`)},
	"text-schema":    {tools: withTool(`{"name":"odd","inputSchema":"x"}`)},
	"no-schema":      {tools: withTool(`{"name":"odd"}`)},
	"list-hints":     {tools: withTool(`{"name":"odd","inputSchema":{"type":"object"},"annotations":[]}`)},
	"text-hints":     {tools: withTool(`{"name":"odd","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes","title":1}}`)},
	"number-text":    {tools: withTool(`{"name":"odd","description":5,"inputSchema":{"type":"object"}}`)},
	"huge-numbers": {tools: withTool(`{"name":"odd","inputSchema":{"type":"object","maximum":1e400,"examples":[12345678901234567890,1E-7000,` +
		`0.1000,-0.0,1e99999]}}`)},
	"large-line": {tools: largeTools, page: 1 << 20},
	"null-tools": {tools: func() []string { return nil }, request: func(s *server, r request) bool {
		if r.method == "tools/list" {
			s.send(r, `"result":{"tools":null}`)
		}
		return r.method == "tools/list"
	}},
}
