package trapserver

import (
	"fmt"
	"os"
	"strings"

	"anvil/compiler/canon"
)

// FrameLimit is the limit for one message that a client should have set for the modes that go beyond it, in bytes. Every other message but
// that of mode "large-line" stays below.
const FrameLimit = 1 << 20

const beyondLimit = FrameLimit + 1000

// indented lays a message out over several lines.
func indented(message text) text { return text(canon.Indent([]byte(message), "")) + "\n" }

// oversized makes the second page of tools a message beyond the limit.
func oversized(idLast bool) func(*server, request) bool {
	return func(s *server, r request) bool {
		if r.method != "tools/list" || r.cursor() == "" {
			return false
		}
		body := `"result":{"tools":[],"x":"` + strings.Repeat("x", beyondLimit) + `"}`
		if idLast {
			s.print("{%s,\"jsonrpc\":\"2.0\",\"id\":%s}\n", body, r.id)
		} else {
			s.print("%s", plainReply(r, body))
		}
		return true
	}
}

// sayingBefore prints words before the answer to a method.
func sayingBefore(method, words string) func(*server, request) bool {
	return func(s *server, r request) bool {
		if r.method == method {
			s.print("%s", words)
		}
		return false
	}
}

// oversizedOften sends messages beyond the limit before every list, more of them than a client may want to keep.
func oversizedOften(s *server, r request) bool {
	if strings.HasSuffix(r.method, "/list") && r.cursor() == "" {
		for range 2 {
			s.print(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`+"\n", strings.Repeat("x", beyondLimit))
		}
	}
	return false
}

// withoutEnd answers the second page of tools with a line that never ends.
func withoutEnd(s *server, r request) bool {
	if r.method != "tools/list" || r.cursor() == "" {
		return false
	}
	s.print(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"`, r.id)
	for block := []byte(strings.Repeat("x", 64<<10)); ; {
		if _, err := s.out.Write(block); err != nil {
			os.Exit(0)
		}
	}
}

// asks are the requests a server may make, and what must be in a client's answer.
var asks = []struct{ method, params, member string }{
	{"ping", `{}`, "result"},
	{"roots/list", `{}`, "result"},
	{"sampling/createMessage", `{"messages":[],"maxTokens":1}`, "error"},
	{"elicitation/create", `{"message":"Who are you?","requestedSchema":{"type":"object","properties":{}}}`, "result"},
	{"vendor/unheard-of", `{}`, "error"},
}

// asking asks the client everything before it answers tools/list, and leaves when an answer is not what it should be.
func asking(s *server, r request) bool {
	if r.method != "tools/list" || r.cursor() != "" {
		return false
	}
	for _, ask := range asks {
		s.print(`{"jsonrpc":"2.0","id":"ask %s","method":"%s","params":%s}`+"\n", ask.method, ask.method, ask.params)
		n, ok := s.next()
		if !ok || n.Get("id").Text() != "ask "+ask.method || n.Get(ask.member) == nil {
			fmt.Fprintf(os.Stderr, "a poor answer to %s\n", ask.method)
			os.Exit(ExitBadInput)
		}
	}
	return false
}
