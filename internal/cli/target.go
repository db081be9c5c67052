package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/adopt/probe"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/internal/config"
	"anvil/internal/launch"
	"anvil/wire"
)

// targetFlags are the flags of every command that takes a TARGET.
func targetFlags(more ...cli.Flag) []cli.Flag {
	return append(append(probeFlags(more...), headerFlags()...), &cli.StringFlag{Name: "transport", Usage: "force a `TRANSPORT`: stdio, http or sse (default for a URL: http, and sse where that is refused)"})
}

// probeFlags are the flags of every command that asks servers for their surface.
func probeFlags(more ...cli.Flag) []cli.Flag {
	return append(more, configFlag(), timeoutFlag(),
		&cli.StringFlag{Name: "as", Value: probe.Full.Name, Usage: "announce what `PROFILE` does: full or bare (everything, or nothing), or a client of `anvil rules --profiles`, of which inspect then prints what its model is handed"})
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "configuration `FILE` (default: the first of anvil.yaml, mcp.json, .mcp.json, mcp.yaml, .mcp.yaml)"}
}

func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: "timeout", Value: probe.DefaultTimeout, Usage: "give up on a server after this `TIME`, such as 30s or 2m"}
}

func timeout(c *cli.Context) (time.Duration, error) {
	d := c.Duration("timeout")
	if d <= 0 {
		return 0, usagef("--timeout %s leaves no time: use one such as 30s or 2m", d)
	}
	return d, nil
}

// loadConfig returns the file of --config, or the first that the current folder holds; nil when there is none. It is read once for a command, so that
// all of it goes by one text.
func (sh *shell) loadConfig(c *cli.Context) (*config.File, error) {
	sh.config.Do(func() { sh.config.file, sh.config.err = sh.readConfig(c) })
	return sh.config.file, sh.config.err
}

// loadedConfig is the configuration of a command.
type loadedConfig struct {
	sync.Once
	file *config.File
	err  error
}

func (sh *shell) readConfig(c *cli.Context) (*config.File, error) {
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
	headers, err := sh.headers(c)
	if err != nil {
		return config.Target{}, err
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return config.Target{}, err
	}
	t, err := config.ParseTarget(args, rest, file, c.String("transport"))
	if err == nil {
		t, err = withHeaders(t, headers)
	}
	return t, usage(err)
}

// observed is a surface with what was noticed while it was captured; nothing for one that was read from a file.
type observed struct {
	snapshot *surface.McpSurfaceSnapshot
	pack     *pack.Pack // that it was read from; nil otherwise
	findings []diag.Finding
	secrets  []string // that the server was given
	evidence probe.Evidence
	live     bool

	name    string        // the configured name; "" when it has none
	command []string      // the configured command line; nil for a URL or a file
	costs   *gate.Counter // of the snapshot

	captures     int    // that were compared; 0 when it was made once
	comparedWith string // what was announced for the surface it was compared with; "" for none

	plugin string   // that brings the server, by its configuration
	listed [][]byte // the tools as they came, in the server's order; nil for a file
}

// observe captures a live target, or reads the snapshot of one on disk. On error there is no snapshot, but what was noticed until then.
func (sh *shell) observe(c *cli.Context, t config.Target) (observed, error) {
	switch t.Kind {
	case config.KindSnapshot:
		s, err := surface.ReadFile(t.Path)
		return observed{snapshot: s, costs: gate.NewCounter(s)}, err
	case config.KindPack:
		p, err := pack.Open(t.Path)
		if err != nil {
			return observed{}, err
		}
		s, err := p.Snapshot()
		return observed{snapshot: s, pack: p, costs: gate.NewCounter(s)}, err
	}
	o, err := sh.probeOptions(c, t.Server)
	if err != nil {
		return observed{}, err
	}
	stable, err := stability(c)
	if err != nil {
		return observed{}, err
	}
	defer sh.announce(o)()
	seen, err := capture(sh.ctx, o, stable)
	if err == nil && c.Bool("compare-profiles") {
		var differences []diag.Finding
		seen.comparedWith = otherAnnouncement(o.Announce).Name
		differences, err = sh.compareAnnounced(o, seen)
		seen.findings = append(seen.findings, differences...)
	}
	seen.secrets, seen.name, seen.plugin, seen.costs = t.Server.Secrets(), t.Server.Name, t.Server.Plugin, gate.NewCounter(seen.snapshot)
	if t.Server.Command != "" {
		seen.command = append([]string{t.Server.Command}, t.Server.Args...)
	}
	return seen, err
}

// patience is how long a person waits without a word.
const patience = 2 * time.Second

// announce says on a terminal that a server keeps anvil waiting, until the returned function is called. Of several servers their progress tells.
func (sh *shell) announce(o probe.Options) func() {
	return sh.keepsWaiting("waiting for %s (for %s at most)\n", sh.clean(o.Endpoint), o.Timeout)
}

// keepsWaiting says on a terminal what takes so long, once a person has waited, until the returned function is called.
func (sh *shell) keepsWaiting(format string, args ...any) func() {
	if sh.progressShown || !isTerminal(sh.err) {
		return func() {}
	}
	t := time.AfterFunc(patience, func() { fmt.Fprintf(sh.err, format, args...) })
	return func() { t.Stop() }
}

func (sh *shell) probeOptions(c *cli.Context, s config.Server) (probe.Options, error) {
	announce, _, err := askedAs(c)
	if err != nil {
		return probe.Options{}, err
	}
	limit, err := timeout(c)
	if err != nil {
		return probe.Options{}, err
	}
	dial, transport, err := sh.dialer(s, probe.Spool(c.String("evidence")))
	return probe.Options{
		Dial: dial, Transport: transport, Endpoint: s.Redacted(), Announce: announce, Version: version, Timeout: limit,
	}, err
}

// capture makes the snapshot of a live server; above 1, so many captures are compared. On error there is none, but what was noticed until then.
func capture(ctx context.Context, o probe.Options, stable int) (observed, error) {
	r, err := probe.Repeated(ctx, o, stable)
	seen := observed{findings: r.Findings, evidence: r.Evidence, live: true, captures: stable}
	if err != nil {
		return seen, unreachable(o.Endpoint, err)
	}
	if seen.snapshot, err = surface.New(r.Capture); err != nil {
		return seen, fmt.Errorf("capture %s: %w", o.Endpoint, err)
	}
	seen.listed = r.Capture.Lists[surface.Tool]
	return seen, nil
}

// unreachable says which server it was and what to try.
func unreachable(endpoint string, err error) error {
	var f *probe.Failure
	if !errors.As(err, &f) {
		return fmt.Errorf("%s: %w", endpoint, err)
	}
	switch f.Code {
	case probe.Unreachable:
		if isMissing(err) {
			return fmt.Errorf("%s: the server cannot be started as it is configured: %w", endpoint, f)
		}
	case probe.Unauthorized:
		return fmt.Errorf("%s: the server asks for authentication: %w%s", endpoint, f, adviceFor(endpoint, err))
	case probe.NotMCP:
		return fmt.Errorf("%s: this does not speak MCP: %w", endpoint, f)
	case probe.BrokenList:
		return fmt.Errorf("%s: the surface could not be read whole: %w", endpoint, f)
	}
	return fmt.Errorf("%s: the server could not be reached: %w%s", endpoint, f, adviceFor(endpoint, err))
}

// adviceFor is what to try after a refusal over HTTP, with its separator; empty for other errors.
func adviceFor(endpoint string, err error) string {
	var status *wire.StatusError
	switch {
	case errors.Is(err, wire.ErrAuthRequired) && strings.Contains(endpoint, "[headers "):
		return "; what it was given was refused: see that the token is still valid and meant for this server, and which header it wants"
	case errors.Is(err, wire.ErrAuthRequired):
		return "; give it its token in anvil.yaml, headers: {Authorization: \"Bearer ${TOKEN}\"}, or to a command that takes its URL by the name of a variable, --bearer-env TOKEN"
	case errors.Is(err, wire.ErrSessionGone):
		return "; the server forgot the session that it had opened: run the command again, and report it to the server's maintainers"
	case errors.As(err, &status) && status.Code == http.StatusNotFound:
		return "; check the path of the URL, which often ends in /mcp"
	}
	return ""
}

// probeGrace is how long a server that was only read from may take to leave. Those that leave by themselves do so in 40 ms.
const probeGrace = 120 * time.Millisecond

// dialer returns how to open a connection to s, and the name of the transport. What s is given in confidence is not printed from then on. Messages
// beyond the limit go to keep, which may be nil.
func (sh *shell) dialer(s config.Server, keep wire.Spool) (func(context.Context) (wire.Link, error), string, error) {
	given := sh.secret.add(s)
	if s.Command != "" {
		env := wire.BaseEnv(s.Env)
		args, _ := launch.Resolve(append([]string{s.Command}, s.Args...), env, s.Dir)
		command := wire.Command{Args: args, Env: env, Dir: s.Dir, Grace: probeGrace, Secrets: given, Spool: keep}
		return func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, command) }, config.Stdio, nil
	}
	for _, proxy := range config.Proxies(sh.getenv) {
		sh.secret.add(proxy)
	}
	o := wire.HTTPOptions{URL: s.URL, Header: http.Header{}, Spool: keep}
	for name, value := range s.Headers {
		o.Header.Set(name, value)
	}
	switch s.Transport {
	case config.SSE:
		return func(context.Context) (wire.Link, error) { return wire.DialSSE(o) }, config.SSE, nil
	case config.HTTP:
		return func(context.Context) (wire.Link, error) { return wire.DialHTTP(o) }, config.HTTP, nil
	}
	return func(context.Context) (wire.Link, error) { return wire.DialAuto(o) }, config.HTTP, nil
}

// storeOf is where snapshots are kept.
func storeOf(c *cli.Context) surface.Store { return surface.Store{Dir: c.String("dir")} }

// defaultDir is the folder of snapshots where no --dir says which.
var defaultDir = filepath.Join("testdata", "snapshots")

func dirFlag() cli.Flag {
	return &cli.StringFlag{Name: "dir", Value: defaultDir, Usage: "`FOLDER` of snapshot files"}
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
