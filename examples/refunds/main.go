// Command refunds is an example MCP server: the refund desk of a small shop.
//
// It stands before the first stage of the flow, as the server that is adopted. Its tools change a store in memory
// that starts from the same seed in every process, so its surface and its answers are the same on every run and any
// machine. It must not read the clock, the environment, the file system or a random source, and it imports nothing
// of anvil: it is the other side of the wire.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "refunds:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends or, on stdio, until the client closes the input. Nothing but the protocol goes to stdout.
func run(ctx context.Context, arguments []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("refunds", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("surface", "v1", "surface to offer: v1, or v2, which has drifted")
	address := flags.String("http", "", "serve streamable HTTP on this loopback `address` (127.0.0.1:0 picks a port) instead of stdio")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: the server takes flags only", flags.Arg(0))
	}
	shown, err := surfaceNamed(*name)
	if err != nil {
		return err
	}
	server := newServer(shown, seededStore())
	if *address == "" {
		return ignoreCancel(ctx, server.Run(ctx, &mcp.StdioTransport{}))
	}
	return serveHTTP(ctx, server, *address, stderr)
}

// serveHTTP serves every session from the one server, so that all of them see the same store.
func serveHTTP(ctx context.Context, server *mcp.Server, address string, stderr io.Writer) error {
	listener, err := listenLoopback(address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { web.Close() }) // streams of open sessions never end by themselves
	defer stop()
	fmt.Fprintf(stderr, "refunds: listening on http://%s/mcp\n", listener.Addr())
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", address, err)
	}
	return nil
}

// listenLoopback refuses an address that others could reach: the example knows no authentication.
func listenLoopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("read -http address: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("-http %s is not a loopback address: use 127.0.0.1:PORT", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return listener, nil
}

// ignoreCancel drops the error of a server that was asked to stop.
func ignoreCancel(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
