package e2e

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"maps"
	"os/exec"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/wire"
)

// direct makes the server's calls on the server itself, and lists its tools.
func (l line) direct() (results [][]byte, tools map[string]string) {
	l.Helper()
	p := l.startLink(l.server.command(l.world), l.server.entry(l.world).Env)
	defer p.Close()
	client := open(l, p)
	for _, c := range l.server.calls {
		c = c.in(l.world)
		result, err := client.Call(within(l), "tools/call", c.params())
		if err != nil {
			l.Fatal(err)
		}
		if failed, _ := mustParse(l, string(result)).Get("isError").Bool(); failed {
			l.Fatalf("the server reports an error of %s: %s", c.tool, result)
		}
		results = append(results, result)
	}
	return results, listed(l, client)
}

// overStdio serves the pack on stdio to one raw client. Closing its stdin ends the facade in order.
func (l line) overStdio(f func(path)) {
	l.Helper()
	p := l.startLink([]string{l.anvil, "mcp", "serve", "pack"}, nil)
	defer p.Close()
	client := open(l, p)
	f(rawPath{l, client, l.tools})
	if err := client.Close(); err != nil {
		l.Error(err)
	}
	if code, exited := p.Exit(); !exited || code != 0 {
		l.Errorf("serve on stdio ended with code %d (%v): %q", code, exited, p.Stderr())
	}
}

// overHTTP serves the pack over HTTP, first to a raw client, then to the official one.
func (l line) overHTTP(f func(path)) {
	l.Helper()
	l.serveHTTP(func(url string) {
		link, err := wire.DialHTTP(wire.HTTPOptions{URL: url})
		if err != nil {
			l.Fatal(err)
		}
		raw := open(l, link)
		f(rawPath{l, raw, l.tools})
		if err := raw.Close(); err != nil {
			l.Error(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
			},
		})
		session, err := client.Connect(within(l), &mcp.StreamableClientTransport{Endpoint: url}, nil)
		if err != nil {
			l.Fatal(err)
		}
		f(sdkPath{l, session})
		if err := session.Close(); err != nil {
			l.Error(err)
		}
	})
}

// serveHTTP runs f while the pack is served on a free port, and ends the facade as an operator does.
func (l line) serveHTTP(f func(url string)) {
	l.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := l.command(ctx, l.env(), "mcp", "serve", "pack", "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		l.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	defer l.interrupt(cmd, stderr)
	f(l.servedURL(bufio.NewReader(stderr)))
}

// servedURL reads what serve says up to the line that names its address.
func (l line) servedURL(stderr *bufio.Reader) string {
	l.Helper()
	for said := ""; ; {
		text, err := stderr.ReadString('\n')
		said += text
		if _, url, ok := strings.Cut(strings.TrimSpace(text), " on http://127.0.0.1:"); ok {
			return "http://127.0.0.1:" + url
		}
		if err != nil {
			l.Fatalf("serve --http said %q, %v", said, err)
		}
	}
}

// interrupt ends a facade with SIGINT; that is no failure of it.
func (l line) interrupt(cmd *exec.Cmd, stderr io.Reader) {
	l.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		l.Error(err)
	}
	var rest bytes.Buffer
	if _, err := rest.ReadFrom(stderr); err != nil {
		l.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		l.Errorf("serve --http ended with %v: %s", err, rest.String())
	}
}

// startLink starts a program of the world as an MCP server on stdio. It is given all the time it wants to leave.
func (w *world) startLink(args []string, env map[string]string) *wire.Process {
	w.Helper()
	all := map[string]string{markVariable: w.dir}
	maps.Copy(all, env)
	p, err := wire.Start(within(w), wire.Command{Args: args, Env: wire.BaseEnv(all), Dir: w.dir, Grace: patience})
	if err != nil {
		w.Fatal(err)
	}
	return p
}
