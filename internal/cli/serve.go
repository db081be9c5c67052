package cli

import (
	"context"
	"fmt"
	"sync"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/facade"
	"anvil/internal/config"
	"anvil/wire"
)

func (sh *shell) serveCommand() *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "run a pack's server behind the facade: approved operations only",
		ArgsUsage: "PACK",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "configuration `FILE` whose variables start the server"},
			&cli.BoolFlag{Name: "stdio", Usage: "serve one client on stdin and stdout (the default)"},
			&cli.StringFlag{Name: "http", Usage: "serve streamable HTTP on `ADDRESS`, such as 127.0.0.1:8080"},
		},
		Action: sh.serve,
	}
}

func (sh *shell) serve(c *cli.Context) error {
	if err := sh.onlyDashDash(); err != nil {
		return err
	}
	if c.NArg() != 1 {
		return usagef("say which pack: anvil mcp serve PACK")
	}
	if c.Bool("stdio") && c.String("http") != "" {
		return usagef("--stdio and --http exclude each other")
	}
	f, err := sh.openFacade(c, c.Args().First())
	if err != nil {
		return err
	}
	defer f.Close()
	if addr := c.String("http"); addr != "" {
		return f.ListenAndServe(sh.ctx, addr, func(url string) { fmt.Fprintf(sh.err, "serving %s on %s\n", c.Args().First(), url) })
	}
	if isTerminal(sh.in) {
		fmt.Fprintln(sh.err, "serving on stdin and stdout; an agent host speaks MCP here (end with Ctrl-C)")
	}
	err = f.ServeStdio(sh.ctx, sh.in, sh.out)
	if sh.ctx.Err() != nil {
		return nil // asked to stop
	}
	return err
}

// openFacade makes the facade of a pack, which is verified first.
func (sh *shell) openFacade(c *cli.Context, dir string) (*facade.Facade, error) {
	p, err := openTrusted(dir)
	if err != nil {
		return nil, err
	}
	document, err := p.Document()
	if err != nil {
		return nil, err
	}
	settings, err := p.Settings()
	if err != nil {
		return nil, usage(err)
	}
	server, err := sh.upstreamServer(c, settings.Upstream)
	if err != nil {
		return nil, err
	}
	dial, _, err := dialer(server)
	if err != nil {
		return nil, err
	}
	exposed, known := sh.exposure(document)
	var mu sync.Mutex
	return facade.New(facade.Options{
		Name: dir, Expose: exposed, Known: known, Dial: dial,
		Log: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(sh.err, diag.Printable(line))
		},
	})
}

// exposure returns the tools that may be called now, with the contract each was approved with, and those that may not. An approval that has
// expired since the pack was built holds no more.
func (sh *shell) exposure(d air.Document) (exposed map[string]string, known map[string]bool) {
	now, findings := d.WithApprovals(pack.Approvals(d), sh.now())
	for _, f := range findings {
		if f.Class.Rank() >= diag.Warning.Rank() {
			fmt.Fprintln(sh.err, diag.Printable(f.Message))
		}
	}
	exposed, known = map[string]string{}, map[string]bool{}
	for _, o := range now.Operations {
		if o.State == air.StateApproved {
			exposed[o.MCP.ToolName] = o.Approval.ContractDigest
		} else {
			known[o.MCP.ToolName] = true
		}
	}
	return exposed, known
}

// upstreamServer fills the variables of a pack's upstream from the environment, and where that lacks one, from the configured server of
// the same name.
func (sh *shell) upstreamServer(c *cli.Context, u pack.Upstream) (config.Server, error) {
	lookup := sh.getenv
	if u.Server != "" {
		if file, err := sh.loadConfig(c); err == nil && file != nil {
			if s, err := file.Server(u.Server); err == nil {
				lookup = func(name string) (string, bool) {
					if v, ok := sh.getenv(name); ok {
						return v, ok
					}
					v, ok := s.Env[name]
					return v, ok
				}
			}
		}
	}
	s, err := config.Filled(config.Server{
		Name: u.Server, Command: u.Command, Args: u.Args, Dir: u.Dir, Env: u.Env, URL: u.URL, Headers: u.Headers,
	}, lookup)
	return s, usage(err)
}

// connectFacade opens an in-process client session through a facade.
func (sh *shell) connectFacade(f *facade.Facade) func(context.Context) (wire.Link, error) {
	return func(context.Context) (wire.Link, error) {
		client, server := wire.Pipe()
		go func() { _ = f.Serve(sh.ctx, server) }()
		return client, nil
	}
}
