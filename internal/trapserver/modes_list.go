package trapserver

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// listModes page, change and break off their lists as they should not.
var listModes = map[string]mode{
	"cursor-cycle": {request: func(s *server, r request) bool {
		cycle := map[string]string{"": "c0", "c0": "c1", "c1": "c0"} // three pages, and back to the second
		next, ok := cycle[r.cursor()]
		if r.method != "tools/list" || !ok {
			return false
		}
		at := map[string]int{"": 0, "c0": pageSize, "c1": 2 * pageSize}[r.cursor()]
		tools := plainTools()
		s.send(r, `"result":`+listResult("tools", tools[at:min(at+pageSize, len(tools))], next))
		return true
	}},
	"endless-cursors": {tools: func() []string { return endless(1_000) }, request: func(s *server, r request) bool {
		if r.method != "tools/list" {
			return false
		}
		at, _ := strconv.Atoi(r.cursor())
		s.send(r, `"result":`+listResult("tools", []string{endlessTool(at)}, strconv.Itoa(at+1)))
		return true
	}},
	"changed-during": {request: func(s *server, r request) bool {
		if r.method != "tools/list" || s.counts[r.method] > 2 {
			return false
		}
		if r.cursor() == "" {
			s.send(r, `"result":`+listResult("tools", []string{`{"name":"stale"}`}, strconv.Itoa(pageSize)))
			return true
		}
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		return false
	}},
	"change-storm":        {request: storming(func(int) string { return endlessTool(0) }), tools: func() []string { return endless(1) }},
	"change-storm-moving": {request: storming(endlessTool), tools: func() []string { return endless(1) }},
	"crash-mid-list": {request: func(s *server, r request) bool {
		if r.method == "tools/list" && r.cursor() != "" {
			fmt.Fprintf(os.Stderr, "reading the next page\nout of pages\n")
			os.Exit(ExitCrash)
		}
		return false
	}},
	"crash-mid-message": {request: func(s *server, r request) bool {
		if r.method == "tools/list" && r.cursor() != "" {
			s.print(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a`, r.id)
			fmt.Fprintln(os.Stderr, "out of words")
			os.Exit(ExitCrash)
		}
		return false
	}},
	"hang-mid-list": {request: func(_ *server, r request) bool { return r.method == "tools/list" && r.cursor() != "" }},
	"hang-mid-message": {request: func(s *server, r request) bool {
		if r.method == "tools/list" {
			s.print(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a`, r.id)
		}
		return r.method == "tools/list"
	}},
	"hang-tools":     {request: silentOn("tools/list")},
	"hang-resources": {request: silentOn("resources/list")},
	"hang-templates": {request: silentOn("resources/templates/list")},
	"hang-prompts":   {request: silentOn("prompts/list")},
}

func silentOn(method string) func(*server, request) bool {
	return func(_ *server, r request) bool { return r.method == method }
}

func endlessTool(i int) string {
	return fmt.Sprintf(`{"name":"tool_%d","inputSchema":{"type":"object"}}`, i)
}

func endless(n int) []string {
	var tools []string
	for i := range n {
		tools = append(tools, endlessTool(i))
	}
	return tools
}

// storming announces a change with every answer to tools/list, and many more between them for as long as the client stays.
func storming(tool func(reading int) string) func(*server, request) bool {
	const notice = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	return func(s *server, r request) bool {
		if r.method != "tools/list" {
			return false
		}
		s.print(notice)
		s.send(r, `"result":`+listResult("tools", []string{tool(s.counts[r.method])}, ""))
		s.print(notice)
		if s.counts[r.method] == 1 {
			go func() {
				for range time.Tick(20 * time.Millisecond) {
					s.print(notice)
				}
			}()
		}
		return true
	}
}
