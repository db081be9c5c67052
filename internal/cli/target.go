package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/internal/config"
	"anvil/wire"
)

// targetFlags are the flags of every command that takes a TARGET.
func targetFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.StringFlag{Name: "config", Usage: "configuration `FILE` (default: the first of anvil.yaml, mcp.json, .mcp.json, mcp.yaml, .mcp.yaml)"},
		&cli.StringFlag{Name: "transport", Usage: "force `stdio|http`"},
		&cli.StringFlag{Name: "as", Value: probe.Full.Name, Usage: "client `PROFILE` to announce: full or bare"},
		&cli.DurationFlag{Name: "timeout", Value: probe.DefaultTimeout, Usage: "give up on a server after this time"},
	)
}

const targetUsage = "TARGET is a name from the configuration, an http(s) URL, a snapshot file, a pack folder, or -- COMMAND ARG..."

// loadConfig reads the file of --config, or the first that the current folder holds; nil when there is none.
func (sh *shell) loadConfig(c *cli.Context) (*config.File, error) {
	path := c.String("config")
	if path == "" {
		found, ok := config.Find(".")
		if !ok {
			return nil, nil
		}
		path = found
	}
	f, err := config.Load(path, sh.getenv)
	return f, usage(err)
}

// target reads the one TARGET of a command.
func (sh *shell) target(c *cli.Context, args []string, rest []string) (config.Target, error) {
	file, err := sh.loadConfig(c)
	if err != nil {
		return config.Target{}, err
	}
	t, err := config.ParseTarget(args, rest, file, c.String("transport"))
	return t, usage(err)
}

// observed is a surface with what was noticed while it was captured; nothing for one that was read from a file.
type observed struct {
	snapshot *surface.McpSurfaceSnapshot
	findings []diag.Finding
	evidence probe.Evidence
	live     bool
}

// observe captures a live target, or reads the snapshot of one on disk.
func (sh *shell) observe(c *cli.Context, t config.Target) (observed, error) {
	switch t.Kind {
	case config.KindSnapshot:
		s, err := surface.ReadFile(t.Path)
		return observed{snapshot: s}, err
	case config.KindPack:
		p, err := pack.Open(t.Path)
		if err != nil {
			return observed{}, err
		}
		s, err := p.Snapshot()
		return observed{snapshot: s}, err
	}
	o, err := sh.probeOptions(c, t.Server)
	if err != nil {
		return observed{}, err
	}
	return capture(sh.ctx, o)
}

func (sh *shell) probeOptions(c *cli.Context, s config.Server) (probe.Options, error) {
	profile, err := probe.ParseProfile(c.String("as"))
	if err != nil {
		return probe.Options{}, usage(err)
	}
	dial, transport, err := dialer(s)
	return probe.Options{
		Dial: dial, Transport: transport, Endpoint: s.Redacted(), Profile: profile, Version: version, Timeout: c.Duration("timeout"),
	}, err
}

func capture(ctx context.Context, o probe.Options) (observed, error) {
	r, err := probe.Capture(ctx, o)
	if err != nil {
		return observed{}, unreachable(o.Endpoint, err)
	}
	s, err := surface.New(r.Capture)
	if err != nil {
		return observed{}, fmt.Errorf("capture %s: %w", o.Endpoint, err)
	}
	return observed{s, r.Findings, r.Evidence, true}, nil
}

// unreachable says which server it was and what to try.
func unreachable(endpoint string, err error) error {
	var f *probe.Failure
	if !errors.As(err, &f) {
		return fmt.Errorf("%s: %w", endpoint, err)
	}
	switch f.Code {
	case probe.Unauthorized:
		return fmt.Errorf("%s: the server asks for authentication: %w; give its token in a header of the configuration", endpoint, f)
	case probe.NotMCP:
		return fmt.Errorf("%s: this does not speak MCP: %w", endpoint, f)
	case probe.BrokenList:
		return fmt.Errorf("%s: the surface could not be read whole: %w", endpoint, f)
	}
	return fmt.Errorf("%s: the server could not be reached: %w", endpoint, f)
}

// probeGrace is how long a server that was only read from may take to leave.
const probeGrace = 250 * time.Millisecond

// dialer returns how to open a connection to s, and the name of the transport.
func dialer(s config.Server) (func(context.Context) (wire.Link, error), string, error) {
	switch {
	case s.Transport == config.SSE:
		return nil, "", usagef("the legacy SSE transport is not supported yet: use streamable HTTP (--transport http) or stdio")
	case s.Command != "":
		command := wire.Command{Args: append([]string{s.Command}, s.Args...), Env: wire.BaseEnv(s.Env), Dir: s.Dir, Grace: probeGrace}
		return func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, command) }, config.Stdio, nil
	}
	header := http.Header{}
	for name, value := range s.Headers {
		header.Set(name, value)
	}
	return func(context.Context) (wire.Link, error) {
		return wire.DialHTTP(wire.HTTPOptions{URL: s.URL, Header: header})
	}, config.HTTP, nil
}

// stateFile is where a name's snapshot is kept.
func storeOf(c *cli.Context) surface.Store { return surface.Store{Dir: c.String("dir")} }

func dirFlag() cli.Flag {
	return &cli.StringFlag{Name: "dir", Value: filepath.Join("testdata", "snapshots"), Usage: "`FOLDER` of snapshot files"}
}

// onlyDashDash refuses words behind "--" where a command takes none.
func (sh *shell) onlyDashDash() error {
	if sh.rest != nil {
		return usagef("this command takes no command behind --")
	}
	return nil
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
