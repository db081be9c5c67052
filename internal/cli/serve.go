package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/facade"
	"anvil/facade/state"
	"anvil/internal/config"
	"anvil/learn"
	"anvil/wire"
)

func (sh *shell) serveCommand() *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "run a pack's server behind the facade: approved operations only",
		ArgsUsage: "PACK",
		Description: `Speaks MCP to agent hosts and starts the pack's server for each session. Variables that the pack names are taken from the
environment, then from the server of that name in the configuration. Loopback addresses
serve whoever reaches them, others need --tokens or --issuer (docs/security.md). Traces and metrics of calls are
exported over OTLP/HTTP where OTEL_EXPORTER_OTLP_ENDPOINT or another of OpenTelemetry's variables asks for it.`,
		Flags: append(append(recordFlags(), frontFlags()...),
			configFlag(),
			&cli.BoolFlag{Name: "stdio", Usage: "serve one client on stdin and stdout (the default)"},
			&cli.StringFlag{Name: "http", Usage: "serve streamable HTTP on `ADDRESS`, such as 127.0.0.1:8080"},
			learnFlag("record every call of an approved tool, refused ones too: sizes, shapes and keyed digests, no payloads"),
			budgetWindowFlag(),
			&cli.StringFlag{Name: "state", Usage: "keep calls that wait for a yes, and keyed writes, in `DIR` or postgres://... (default: facade.state of the configuration)"},
		),
		Action: sh.serve,
	}
}

// serveGC is how much the heap may grow between collections, in percent of what lives: little lives in a facade, and every long reply is garbage once it is
// passed on, so that the usual 100 collects after every few dozen of them.
const serveGC = 400

func (sh *shell) serve(c *cli.Context) error {
	if err := sh.checkServe(c); err != nil {
		return err
	}
	if _, set := sh.getenv("GOGC"); !set {
		defer debug.SetGCPercent(debug.SetGCPercent(serveGC))
	}
	addr, dir := c.String("http"), c.Args().First()
	log := sh.logger()
	front, err := sh.front(c, log)
	if err != nil {
		return err
	}
	p, document, err := openTrusted(dir)
	if err != nil {
		return err
	}
	recording, err := sh.record(c, document, log)
	if err != nil {
		return err
	}
	defer recording.close()
	kept, err := sh.keptState(c)
	if err != nil {
		return err
	}
	if kept != nil {
		defer kept.Close()
	}
	told, err := sh.records(c, p, log)
	if err != nil {
		return err
	}
	defer told.close()
	shown, err := newPublishing(p, document, recording, sh.now, log)
	if err != nil {
		return err
	}
	f, err := sh.openFacade(c, p, document, facadeWatch{log: log, observe: recording.observe(), asks: true, state: kept, records: told, publishing: shown, recording: recording, front: front})
	if err != nil {
		return err
	}
	defer f.Close()
	changed := func() {
		shown.forget()
		f.ResourcesChanged()
	}
	recording.tell(changed)
	defer sh.follow(c, dir, f, log, func(p *pack.Pack) {
		told.tookOver(p)
		shown.tookOver(p)
		f.ResourcesChanged()
	})()
	return sh.serveUntilEnd(f, dir, addr)
}

// checkServe refuses a line that cannot be served.
func (sh *shell) checkServe(c *cli.Context) error {
	if n := c.NArg(); n > 1 {
		return usagef("serve takes one pack for now, and the line gives %d: start one for each, each as a server of its own in your agent host", n)
	}
	if err := sh.noArguments(c, 1); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil mcp serve PACK")
	}
	if c.Bool("stdio") && c.String("http") != "" {
		return usagef("--stdio and --http exclude each other")
	}
	if c.IsSet("budget-window") && !c.IsSet("learn") {
		return usagef("--budget-window is about what --learn DB records: name a store, or leave it out")
	}
	return nil
}

// serveUntilEnd serves on an address, or on stdin and stdout where there is none, until somebody ends it.
func (sh *shell) serveUntilEnd(f *facade.Facade, dir, addr string) error {
	if addr != "" {
		return f.ListenAndServe(sh.ctx, addr, func(url string) { fmt.Fprintf(sh.err, "serving %s on %s\n", dir, url) })
	}
	if isTerminal(sh.in) {
		fmt.Fprintln(sh.err, "serving on stdin and stdout; an agent host speaks MCP here (end with Ctrl-C)")
	}
	err := f.ServeStdio(sh.ctx, sh.in, sh.out.w)
	if sh.ctx.Err() != nil {
		return nil // asked to stop
	}
	return sessionEnd(err)
}

// sessionEnd gives the error that ended a session its exit code: it is the server's unless it is plainly about the client's side.
func sessionEnd(err error) error {
	var frame *wire.FrameTooLargeError
	var file *fs.PathError
	if err == nil || errors.As(err, &frame) || errors.As(err, &file) || errors.Is(err, wire.ErrAuthRequired) {
		return err
	}
	return &exitError{exitUnreachable, err}
}

// logger returns a function that prints lines for the operator; it is safe for concurrent use.
func (sh *shell) logger() func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(sh.err, sh.clean(line))
	}
}

// facadeWatch is who is told of what a facade does; each may be nil.
type facadeWatch struct {
	log     func(string)
	refused func(facade.Refusal)
	observe func(learn.Observation)
	asks    bool         // people are asked by the facade; else whoever runs it has asked
	state   *state.Store // nil: nothing is kept
	source  string       // the server, in words that name it from any folder; "" for those of the target
	records *records     // nil for none
	front   front        // who may call over HTTP

	publishing *publishing // nil: nothing is published beside the server's resources
	recording  *recording  // that takes reports of clients; nil: there are none
}

// openFacade makes the facade of a pack, whose document is trusted, before the server that the pack names.
func (sh *shell) openFacade(c *cli.Context, p *pack.Pack, document air.Document, watch facadeWatch) (*facade.Facade, error) {
	settings, err := p.Settings()
	if err != nil {
		return nil, usage(err)
	}
	server, err := sh.upstreamServer(c, settings.Upstream)
	if err != nil {
		return nil, err
	}
	if watch.source, err = sh.sourceWords(c, settings.Upstream, server); err != nil {
		return nil, err
	}
	return sh.openFacadeTo(c, targetOf(server), p, document, watch)
}

// sourceWords name the server of a pack on a line that may be typed in another folder: by its name and the configuration that has it, or by what starts or reaches it,
// with the variables as the pack has them.
func (sh *shell) sourceWords(c *cli.Context, u pack.Upstream, server config.Server) (string, error) {
	file, err := sh.loadConfig(c)
	if err != nil {
		return "", err
	}
	if file != nil && u.Server != "" && slices.Contains(file.Names(), u.Server) {
		path, err := filepath.Abs(file.Path)
		if err != nil {
			return "", err
		}
		return "--config " + diag.ShellPath(path) + " " + diag.ShellWord(u.Server), nil
	}
	server.Name = ""
	return shellTarget(targetOf(server)), nil
}

// targetOf is a server as a command would be given it.
func targetOf(s config.Server) config.Target {
	t := config.Target{Kind: config.KindURL, Server: s}
	switch {
	case s.Name != "":
		t.Kind = config.KindName
	case s.Command != "":
		t.Kind = config.KindCommand
	}
	return t
}

// openFacadeTo makes the facade of a pack before any server.
func (sh *shell) openFacadeTo(c *cli.Context, target config.Target, p *pack.Pack, document air.Document, watch facadeWatch) (*facade.Facade, error) {
	dial, _, err := sh.dialer(target.Server, nil)
	if err != nil {
		return nil, err
	}
	log := watch.log
	if log == nil {
		log = func(string) {}
	}
	o := facade.Options{Name: p.Dir, Source: cmp.Or(watch.source, shellTarget(target)), Dial: dial, Log: log, Refused: watch.refused, Service: document.Service.ID, Observe: watch.observe, Now: sh.now, AskPeople: watch.asks, Front: watch.front.Front, Limits: facade.Limits{Rate: watch.front.rate}}
	if watch.state != nil {
		o.Approvals, o.Ledger = watch.state, watch.state
		if o.ApprovalsCommand, err = sh.approvalsWords(c); err != nil {
			return nil, err
		}
	}
	if watch.records != nil {
		o.Audit, o.Telemetry = watch.records.audit, watch.records.telemetry
	}
	if settings, err := p.Settings(); err == nil { // a pack of another mode has none
		o.Serving = settings.Serving
	}
	if watch.publishing != nil {
		o.Resources = watch.publishing.resources()
		o.Reporter = reporter(o.Serving, document, watch.recording, log)
	}
	if o.Exposure, err = sh.exposure(c, p, document, log); err != nil {
		return nil, err
	}
	if len(o.Exposure.Tools) == 0 {
		log("no operation of " + p.Dir + " is approved, so there is no tool to call; approve some with: anvil mcp approve " + diag.ShellPath(p.Dir) + " --read-only")
	}
	return facade.New(o)
}

// upstreamServer fills the variables of a pack's upstream from the environment, and where that lacks one, from the configuration: its own
// variables (.env included), and what the server of the same name has there for its environment and headers.
func (sh *shell) upstreamServer(c *cli.Context, u pack.Upstream) (config.Server, error) {
	sources := []func(string) (string, bool){sh.getenv}
	if u.Server != "" {
		file, err := sh.loadConfig(c)
		if err != nil {
			return config.Server{}, err
		}
		if file != nil {
			sources = append(sources, file.Lookup)
			if s, err := file.Server(u.Server); err == nil {
				sources = append(sources, s.Lookup)
			}
		}
	}
	s, err := config.Filled(config.Server{
		Name: u.Server, Command: u.Command, Args: u.Args, Dir: u.Dir, Env: u.Env, URL: u.URL, Headers: u.Headers,
	}, func(name string) (string, bool) {
		for _, lookup := range sources {
			if value, ok := lookup(name); ok {
				return value, true
			}
		}
		return "", false
	})
	return s, usage(err)
}

// connectFacade returns how to open an in-process client session through a facade, and how to learn why that session ended, which closes the
// facade and is nil unless the upstream ended it.
func (sh *shell) connectFacade(f *facade.Facade) (dial func(context.Context) (wire.Link, error), ended func() error) {
	var end chan error
	dial = func(context.Context) (wire.Link, error) {
		client, server := wire.Pipe()
		end = make(chan error, 1)
		go func() { end <- f.Serve(sh.ctx, server) }()
		return client, nil
	}
	ended = func() error {
		f.Close()
		if end == nil {
			return nil
		}
		if err := <-end; !errors.Is(err, facade.ErrClosed) { // the session may not have begun yet
			return err
		}
		return nil
	}
	return dial, ended
}

// keptState opens the state of a facade that serves, where the line or the configuration names one; nil where neither does.
func (sh *shell) keptState(c *cli.Context) (*state.Store, error) {
	where, err := sh.stateNamed(c)
	if err != nil || where == "" {
		return nil, err
	}
	return sh.openStateAt(where)
}
