package cli

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// fakeServer speaks MCP on stdio as a file says: its name, instructions, tools and prompts, how many tools go on a page, and the answer to each tool's
// call, an error or a result: fakeserver FILE. A tool without an answer says its name; with the member "echo", what it was asked. With the member "listed" it makes the file of that name once its
// tools were listed.
func fakeServer() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	script, err := canon.Parse(text)
	if err != nil {
		panic(err)
	}
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		message, err := canon.Parse(line)
		if err != nil {
			panic(err)
		}
		if id := message.Get("id"); id != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", id.Raw, answerOf(script, message))
			if file := script.Get("listed").Text(); file != "" && message.Get("method").Text() == "tools/list" {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					panic(err)
				}
			}
		}
	}
}

// answerOf is the member that answers a request: a result or an error.
func answerOf(script, message *canon.Node) string {
	switch message.Get("method").Text() {
	case "initialize":
		instructions := ""
		if text := script.Get("instructions"); text != nil {
			instructions = `,"instructions":` + string(text.Raw)
		}
		prompts := ""
		if script.Get("prompts") != nil {
			prompts = `,"prompts":{}`
		}
		version := "1"
		if given := script.Get("version").Text(); given != "" {
			version = given
		}
		return fmt.Sprintf(`"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":%s,"version":%q},"capabilities":{"tools":{}%s}%s}`,
			script.Get("name").Raw, version, prompts, instructions)
	case "prompts/list":
		if prompts := script.Get("prompts"); prompts != nil {
			return `"result":{"prompts":` + string(prompts.Raw) + `}`
		}
	case "tools/list":
		var tools []string
		for _, tool := range script.Get("tools").Elements() {
			text := string(tool.Raw)
			if tool.Get("inputSchema") == nil {
				text = strings.TrimSuffix(text, "}") + `,"inputSchema":{"type":"object"}}`
			}
			tools = append(tools, text)
		}
		return `"result":{` + pageOf(tools, script.Get("page"), message.Get("params").Get("cursor").Text()) + `}`
	case "tools/call":
		name := message.Get("params").Get("name").Text()
		if answer := script.Get("answers").Get(name); answer != nil {
			return strings.TrimSpace(string(answer.Raw[1 : len(answer.Raw)-1]))
		}
		said := "called " + name
		if script.Get("echo") != nil {
			said = "asked " + string(message.Get("params").Raw)
		}
		return `"result":{"content":[{"type":"text","text":` + string(canon.Quote(said)) + `}]}`
	}
	return `"error":{"code":-32601,"message":"no such method"}`
}

// pageOf is the tools behind the cursor, as many as go on a page, and the next cursor; all of them where nothing says how many.
func pageOf(tools []string, size *canon.Node, cursor string) string {
	next := ""
	if n, _ := size.Int(); n > 0 {
		from, _ := strconv.Atoi(cursor)
		if tools = tools[from:]; len(tools) > int(n) {
			tools, next = tools[:n], fmt.Sprintf(`,"nextCursor":"%d"`, from+int(n))
		}
	}
	return `"tools":[` + strings.Join(tools, ",") + `]` + next
}

// echoHTTP listens on loopback, writes its address to the file, and answers every request with the status, repeating all that it was told
// in confidence: in the body, in a header, in the address of a redirect, and for status 200 in an error of JSON-RPC: echohttp STATUS ADDR.
func echoHTTP() {
	status, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Args[2], []byte("ADDR="+l.Addr().String()+"\n"), 0o600); err != nil {
		panic(err)
	}
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credential := strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
		plain, _ := base64.StdEncoding.DecodeString(credential)
		told := fmt.Sprintf("%s %s %s %s", credential, plain, r.URL.RawQuery, r.URL.Query().Get("api_key"))
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+told+`"`)
		w.Header().Set("Location", "http://"+r.Host+"/elsewhere?"+r.URL.RawQuery)
		body, _ := io.ReadAll(r.Body)
		if message, err := canon.Parse(body); status == http.StatusOK && err == nil && message.Get("id") != nil {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, message.Get("id").Raw, canon.Quote(told))
			return
		}
		w.WriteHeader(status)
		fmt.Fprintln(w, told)
	})))
}
