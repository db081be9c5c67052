package facade

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/wire"
)

// TestTypedClientsTakeRefusals: the SDK's client reads the form in which the facade speaks for itself, an error with data, and the session goes on after it.
func TestTypedClientsTakeRefusals(t *testing.T) {
	u := &upstreams{t: t, tools: []string{echoTool}}
	f := newFacade(t, Options{Exposure: exposeAll(t, echoTool), Dial: u.dial})
	in, toFacade := io.Pipe()
	fromFacade, out := io.Pipe()
	go func() { _ = f.ServeStdio(context.Background(), in, out) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromFacade, Writer: toFacade}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for range 2 {
		_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "other"})
		var refused *jsonrpc.Error
		if !errors.As(err, &refused) || refused.Code != codeParams || !strings.Contains(string(refused.Data), `"code":"policy_denied","hint":"`) {
			t.Errorf("%#v", err)
		}
	}
}

// TestRefusalsAreWellFormed: whatever stands in a message, what is sent is JSON that says the same.
func TestRefusalsAreWellFormed(t *testing.T) {
	for _, text := range []string{"plain", "\"quoted\"\n\\", "\xff\x00é"} {
		e, err := wire.Scan(refusal{code: -32602, message: text, reason: deniedByPolicy, hint: text}.frame([]byte(`"id"`)))
		if err != nil || present(e.Result) || !present(e.Error) {
			t.Fatalf("%q: %s, %v", text, e.Raw, err)
		}
		n, err := canon.Parse(e.Raw)
		if err != nil {
			t.Fatal(err)
		}
		about := n.Get("error").Get("data")
		if about.Get("code").Text() != deniedByPolicy || about.Get("hint").Text() != strings.ToValidUTF8(text, "\uFFFD") {
			t.Errorf("%q: %s", text, e.Raw)
		}
	}
}

// TestEveryRefusalHasACode: docs/errors.md promises one, so none is written down without.
func TestEveryRefusalHasACode(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	count, set := 0, gotoken.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if kind, isName := literalKind(literal, ok); !isName || kind != "refusal" {
				return true
			}
			count++
			for _, e := range literal.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok && pair.Key.(*ast.Ident).Name == "reason" {
					return true
				}
			}
			t.Errorf("%s: a refusal without a reason", set.Position(literal.Pos()))
			return true
		})
	}
	if count < 40 {
		t.Errorf("%d refusals were looked at", count)
	}
}

func literalKind(literal *ast.CompositeLit, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	name, ok := literal.Type.(*ast.Ident)
	if !ok {
		return "", false
	}
	return name.Name, true
}

// TestRefusedMessagesHaveACode: of those that are refused before anything is known of them, and by HTTP alone.
func TestRefusedMessagesHaveACode(t *testing.T) {
	_, client, _ := standard(t)
	client.ask(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	for frame, want := range map[string]string{
		`[]`: invalid, `{`: invalid, `5`: invalid, `{}`: invalid, `{"jsonrpc":"2.0","id":1,"method":"Tools/List"}`: unsupported,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`: invalid,
	} {
		wants(t, client.ask(frame), `"data":{"code":"`+want+`","hint":"`)
	}
	for _, status := range []int{400, 401, 403, 404, 405, 406, 413, 415, 500, 503} {
		w := httptest.NewRecorder()
		httpError(w, status, "no")
		n, err := canon.Parse(w.Body.Bytes())
		if err != nil || w.Code != status {
			t.Fatalf("%d: %s, %v", status, w.Body, err)
		}
		data := n.Get("error").Get("data")
		if code := data.Get("code").Text(); data.Get("hint").Text() == "" || !slices.ContainsFunc(air.Errors, func(e air.ErrorAbout) bool { return string(e.Code) == code }) {
			t.Errorf("%d: %s", status, w.Body)
		}
	}
}
