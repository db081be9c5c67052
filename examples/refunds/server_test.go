package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServer drives the built program as a client would: as a child process on stdio, and over HTTP.
func TestServer(t *testing.T) {
	program := build(t)
	ways := map[string]func(t *testing.T, program, surface string) *mcp.ClientSession{"stdio": overStdio, "http": overHTTP}
	for way, connect := range ways {
		for name, calls := range map[string][]call{"v1": callsV1(), "v2": callsV2()} {
			t.Run(way+"/"+name, func(t *testing.T) {
				session := connect(t, program, name)
				listed := listAll(t, session)
				called := map[string]bool{}
				for _, c := range calls {
					called[c.tool] = true
					c.check(t, session)
				}
				for tool := range listed.tools {
					if !called[tool] {
						t.Errorf("tool %s is listed but never called", tool)
					}
				}
			})
		}
	}
	t.Run("drift", func(t *testing.T) {
		checkDrift(t, listAll(t, overStdio(t, program, "v1")), listAll(t, overStdio(t, program, "v2")))
	})
	t.Run("resources and prompts", func(t *testing.T) { checkContent(t, program) })
	t.Run("same bytes", func(t *testing.T) { checkSameBytes(t, program) })
	t.Run("usage", func(t *testing.T) { checkUsage(t, program) })
}

// build compiles the program of this folder.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "refunds")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// deadline bounds a test that hangs; nothing waits for it to pass.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(deadline(t), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return session
}

func overStdio(t *testing.T, program, surface string) *mcp.ClientSession {
	t.Helper()
	return connect(t, &mcp.CommandTransport{Command: exec.Command(program, "-surface", surface)})
}

func overHTTP(t *testing.T, program, surface string) *mcp.ClientSession {
	t.Helper()
	child := exec.CommandContext(deadline(t), program, "-surface", surface, "-http", "127.0.0.1:0")
	stderr, err := child.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := child.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("interrupt the server: %v", err)
		}
		if err := child.Wait(); err != nil {
			t.Errorf("server over HTTP: %v", err)
		}
	})
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("read where the server listens: %v", err)
	}
	_, url, ok := strings.Cut(strings.TrimSpace(said), "listening on ")
	if !ok {
		t.Fatalf("the server said %q, not where it listens", said)
	}
	return connect(t, &mcp.StreamableClientTransport{Endpoint: url})
}

// checkContent reads every resource and gets every prompt, and the refusals of both.
func checkContent(t *testing.T, program string) {
	ctx, session := deadline(t), overStdio(t, program, "v1")
	for uri, want := range map[string]string{
		policyURI:                "# Refund policy",
		ledgerURI:                `{"seq":9007199254740993,"refundId":"rf-1001","event":"requested"`,
		refundPrefix + "rf-1002": `"id":"rf-1002"`,
	} {
		read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("read %s: %v", uri, err)
		} else if text := read.Contents[0].Text; !strings.Contains(text, want) {
			t.Errorf("read %s: got %s, want it to contain %s", uri, text, want)
		}
	}
	if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: refundPrefix + "rf-9"}); err == nil {
		t.Error("a resource of an unknown refund is read")
	}
	review := &mcp.GetPromptParams{Name: "review_refund", Arguments: map[string]string{"refundId": "rf-1001"}}
	checkPrompt(t, session, review, "Review refund rf-1001: 12900 EUR (minor units), reason damaged, now approved.")
	checkPrompt(t, session, &mcp.GetPromptParams{Name: "answer_complaint",
		Arguments: map[string]string{"complaint": "late", "language": "Turkish"}}, "Answer this complaint in Turkish")
	if _, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "answer_complaint"}); err == nil {
		t.Error("answer_complaint is answered without its required argument")
	}
	evolved := overStdio(t, program, "v2")
	if _, err := evolved.GetPrompt(ctx, review); err == nil {
		t.Error("v2: review_refund is answered without its new required argument")
	}
	review.Arguments["audience"] = "auditor"
	checkPrompt(t, evolved, review, "The reader is the auditor.")
	if _, err := evolved.ReadResource(ctx, &mcp.ReadResourceParams{URI: ledgerURI}); err == nil {
		t.Error("v2: the removed ledger is read")
	}
}

func checkPrompt(t *testing.T, session *mcp.ClientSession, params *mcp.GetPromptParams, want string) {
	t.Helper()
	got, err := session.GetPrompt(deadline(t), params)
	if err != nil {
		t.Errorf("prompt %s: %v", params.Name, err)
		return
	}
	if text := got.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, want) {
		t.Errorf("prompt %s: got %q, want it to contain %q", params.Name, text, want)
	}
}

// checkSameBytes compares what two processes write, byte for byte, and looks for what a typed client would have lost.
func checkSameBytes(t *testing.T, program string) {
	for _, name := range []string{"v1", "v2"} {
		first, second := transcript(t, program, name), transcript(t, program, name)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s: two processes answer differently (-first +second):\n%s", name, diff)
		}
		for _, want := range []string{`"maximum":9007199254740993,"description":"Amount in`, `"maximum":12.50,"multipleOf":0.01`, `"ledgerSeq":9007199254740998`} {
			if !strings.Contains(strings.Join(first, "\n"), want) {
				t.Errorf("%s: no line of the transcript contains %s", name, want)
			}
		}
	}
}

// transcript asks a fresh process for its surface and for one result, and returns its lines.
func transcript(t *testing.T, program, surface string) []string {
	t.Helper()
	child := exec.CommandContext(deadline(t), program, "-surface", surface)
	in, errIn := child.StdinPipe()
	out, errOut := child.StdoutPipe()
	if errIn != nil || errOut != nil {
		t.Fatal(errIn, errOut)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	w := &rawClient{in: in, out: bufio.NewReader(out)}
	w.ask(t, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "test", "version": "1"}})
	w.write(t, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		for params := map[string]any{}; params != nil; {
			var page struct{ NextCursor string }
			if err := json.Unmarshal(w.ask(t, method, params), &page); err != nil {
				t.Fatal(err)
			}
			if params = nil; page.NextCursor != "" {
				params = map[string]any{"cursor": page.NextCursor}
			}
		}
	}
	about := map[string]any{"refundId": "rf-1002"}
	w.ask(t, "tools/call", map[string]any{"name": "approve_refund", "arguments": about})
	w.ask(t, "tools/call", map[string]any{"name": "get_refund", "arguments": about})
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Errorf("the server ends with %v when its input closes", err)
	}
	return w.lines
}

// rawClient speaks the protocol by hand, one request at a time, and keeps the lines it reads as they are.
type rawClient struct {
	in    io.Writer
	out   *bufio.Reader
	lines []string
}

func (w *rawClient) write(t *testing.T, message map[string]any) {
	t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.in.Write(append(body, '\n')); err != nil {
		t.Fatal(err)
	}
}

func (w *rawClient) ask(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	w.write(t, map[string]any{"jsonrpc": "2.0", "id": len(w.lines) + 1, "method": method, "params": params})
	line, err := w.out.ReadString('\n')
	if err != nil {
		t.Fatalf("answer to %s: %v", method, err)
	}
	w.lines = append(w.lines, line)
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Result == nil {
		t.Fatalf("%s is not answered with a result: %s", method, line)
	}
	return answer.Result
}

func checkUsage(t *testing.T, program string) {
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"-surface", "v3"}, `no surface "v3": use v1 or v2`},
		{[]string{"-http", "0.0.0.0:0"}, "is not a loopback address: use 127.0.0.1:PORT"},
		{[]string{"-http", ":8080"}, "is not a loopback address"},
		{[]string{"serve"}, `unexpected argument "serve"`},
	} {
		out, err := exec.CommandContext(deadline(t), program, test.arguments...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), test.want) {
			t.Errorf("refunds %v: got error %v and %q, want %q", test.arguments, err, out, test.want)
		}
	}
}
