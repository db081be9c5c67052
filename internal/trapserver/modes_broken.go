package trapserver

import "strings"

// brokenModes answer the second page of tools with what cannot be read, or put other things beside what can.
var brokenModes = map[string]mode{
	"too-deep":         {tools: withTool(nested(20_000))},
	"too-deep-id-last": {tools: withTool(nested(20_000)), reply: idLast},
	"too-deep-notice": {request: sayingBefore("prompts/list", `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":`+
		strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}}\n")},
	"broken-comma":   {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a"},]}}` + "\n")},
	"broken-escape":  {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"\x41"}]}}` + "\n")},
	"broken-nan":     {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a","x":NaN}]}}` + "\n")},
	"broken-cut":     {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a` + "\n")},
	"broken-newline": {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a` + "\n" + `b"}]}}` + "\n")},
	// Between two values a message may go on on the next line: it is given up when another one comes.
	"broken-cut-between": {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a"},` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n")},
	"broken-cut-silent": {request: secondPage(`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"a"},` + "\n")},
	// The id behind what is broken may as well be part of a text.
	"broken-id-last": {request: secondPage(`{"result":{"tools":[{"name":"a"},]},"jsonrpc":"2.0","id":ID}` + "\n")},
	"two-on-a-line": {reply: func(r request, body string) text {
		return text(strings.TrimSpace(string(plainReply(r, body)))) + `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n"
	}},
	"text-behind": {reply: func(r request, body string) text {
		return text(strings.TrimSpace(string(plainReply(r, body)))) + " // sent\n"
	}},
	"logged-replies": {reply: func(r request, body string) text {
		log := `DEBUG out: {"jsonrpc":"2.0","id":ID,"result":{}}` + "\n" + `{"level":"debug","id":ID,"result":NaN}` + "\n" +
			`{"msg":"\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}","at":NaN}` + "\n" + `{"out":{"jsonrpc":"2.0","id":ID,"result":{}},"at":1}` + "\n" +
			`["out",{"id":ID}]` + "\n" + `{"id":ID,"done":true}` + "\n"
		return text(strings.ReplaceAll(log, "ID", r.id)) + plainReply(r, body)
	}},
}

func idLast(r request, body string) text {
	return text(`{` + body + `,"jsonrpc":"2.0","id":` + r.id + "}\n")
}

// secondPage answers it with words, in which ID stands for the request's.
func secondPage(words string) func(*server, request) bool {
	return func(s *server, r request) bool {
		second := r.method == "tools/list" && r.cursor() != ""
		if second {
			s.print("%s", strings.ReplaceAll(words, "ID", r.id))
		}
		return second
	}
}
