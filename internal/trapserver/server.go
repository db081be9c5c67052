package trapserver

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"anvil/compiler/canon"
)

// Env is the environment variable whose value, a mode, makes a test binary this server; see [Main].
const Env = "ANVIL_TRAPSERVER"

// Exit codes of the server, beside 0.
const (
	ExitCrash    = 7  // a mode that ends in the middle
	ExitBadInput = 9  // the client sent what it must not
	exitNoMode   = 10 // there is no such mode
)

// Main serves on stdin and stdout in the mode args[0], until the input ends. It does not return.
func Main(args []string) {
	mode, ok := modes[strings.Join(args, " ")]
	if !ok {
		fmt.Fprintf(os.Stderr, "no mode is called %q\n", args)
		os.Exit(exitNoMode)
	}
	s := &server{mode: mode, out: os.Stdout, counts: map[string]int{}}
	if mode.stays {
		signal.Ignore(syscall.SIGTERM)
	}
	if mode.start != nil {
		mode.start(s)
	}
	s.serve(bufio.NewReader(os.Stdin))
	if mode.end != nil {
		mode.end(s)
	}
	if mode.stays {
		select {}
	}
	os.Exit(0)
}

// Modes lists the names of all modes, sorted.
func Modes() []string { return slices.Sorted(maps.Keys(modes)) }

// mode is one way of serving. What is nil is done as it should be.
type mode struct {
	tools   func() []string                   // raw items; nil stands for plainTools
	page    int                               // tools on a page, 0 for pageSize
	version string                            // answered to initialize, empty for the newest of the handshake era
	start   func(s *server)                   // before anything is read
	end     func(s *server)                   // after the input has ended
	request func(s *server, r request) bool   // answers a request; false leaves it to the server
	notice  func(s *server, method string)    // hears a notification
	reply   func(r request, body string) text // spells a reply whose body is a member "result" or "error"
	stays   bool                              // ignores the end of input and SIGTERM
}

// text is one message, or several, with their line ends.
type text string

// request is a request as it came.
type request struct{ id, method, params string }

// cursor returns the cursor of a list request, empty for the first page.
func (r request) cursor() string {
	n, err := canon.Parse([]byte(r.params))
	if err != nil {
		return ""
	}
	return n.Get("cursor").Text()
}

// server is the running server. It does one thing after the other, in one goroutine.
type server struct {
	mode   mode
	in     *bufio.Reader
	out    io.Writer
	counts map[string]int // requests, by method
}

func (s *server) serve(in *bufio.Reader) {
	s.in = in
	for {
		n, ok := s.next()
		if !ok {
			return
		}
		method := n.Get("method").Text()
		if method == "" || n.Get("id") == nil {
			if method != "" && s.mode.notice != nil {
				s.mode.notice(s, method)
			}
			continue // an answer, or a notice
		}
		r := request{id: string(n.Get("id").Raw), method: method}
		if params := n.Get("params"); params != nil {
			r.params = string(params.Raw)
		}
		s.counts[method]++
		if s.mode.request == nil || !s.mode.request(s, r) {
			s.answer(r)
		}
	}
}

// next reads one message; it reports false at the end of input.
func (s *server) next() (*canon.Node, bool) {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return nil, false
	}
	n, err := canon.Parse(line)
	if err != nil || n.Get("jsonrpc").Text() != "2.0" {
		fmt.Fprintf(os.Stderr, "the client sent %q\n", line)
		os.Exit(ExitBadInput)
	}
	return n, true
}

// print writes as it is told. A client that is gone is found out at the next read.
func (s *server) print(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format, args...) }

// answer answers a request as a server should, but for the spelling of the reply.
func (s *server) answer(r request) { s.send(r, s.body(r)) }

func (s *server) send(r request, body string) {
	reply := plainReply
	if s.mode.reply != nil {
		reply = s.mode.reply
	}
	s.print("%s", reply(r, body))
}

func plainReply(r request, body string) text {
	return text(`{"jsonrpc":"2.0","id":` + r.id + `,` + body + "}\n")
}

const unknownMethod = `"error":{"code":-32601,"message":"method not found"}`

// body is the result or the error of a request.
func (s *server) body(r request) string {
	switch r.method {
	case "initialize":
		return `"result":` + s.mode.initialize()
	case "ping":
		return `"result":{}`
	case "tools/list":
		return s.mode.toolsPage(r.cursor())
	}
	if list, ok := strings.CutSuffix(r.method, "/list"); ok && plain[listName(list)] != nil {
		return `"result":` + listResult(listName(list), plain[listName(list)], "")
	}
	return unknownMethod
}

// listName is the member of a result that holds the list of a method: that of resources/templates is called otherwise.
func listName(method string) string {
	if method == "resources/templates" {
		return "resourceTemplates"
	}
	return method
}

func listResult(name string, items []string, next string) string {
	if next != "" {
		next = `,"nextCursor":"` + next + `"`
	}
	return `{"` + name + `":[` + strings.Join(items, ",") + `]` + next + `}`
}

// toolsPage is the page at a cursor, which is the number of its first tool.
func (m mode) toolsPage(cursor string) string {
	tools, size := m.items(), m.page
	if size == 0 {
		size = pageSize
	}
	at := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(tools) {
			return `"error":{"code":-32602,"message":"no such cursor"}`
		}
		at = n
	}
	next := ""
	if at+size < len(tools) {
		next = strconv.Itoa(at + size)
	}
	return `"result":` + listResult("tools", tools[at:min(at+size, len(tools))], next)
}
