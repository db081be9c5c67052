package cli

import (
	"context"
	"fmt"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/pack"
	"anvil/facade/audit"
	"anvil/facade/telemetry"
)

// lastExport is how long what waits to be exported may take once serving is over.
const lastExport = 5 * time.Second

// recordFlags are how a served pack's calls are put on record.
func recordFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "audit", Usage: "append a record of each call to the hash-chained log `FILE` (default: facade.audit.file of the pack); see anvil audit verify"},
		&cli.StringFlag{Name: "metrics", Usage: "serve /metrics (Prometheus), /healthz and /readyz on `ADDRESS`, such as :9464; without a host on this machine alone"},
	}
}

// records are those that are told of a served pack's calls beside --learn: the audit log, and telemetry as --metrics and OTEL_* ask for it.
type records struct {
	audit     *audit.Log           // nil without
	telemetry *telemetry.Telemetry // nil without
	log       func(string)
	rules     func(*pack.Pack) (digest string, err error) // that hold for the pack
	end       func()                                      // of the listener
}

// records opens them. They are asked for by flags, by the pack and by the environment.
func (sh *shell) records(c *cli.Context, p *pack.Pack, log func(string)) (_ *records, err error) {
	r := &records{log: log, end: func() {}, rules: func(p *pack.Pack) (string, error) {
		d, err := p.Document()
		if err != nil {
			return "", err
		}
		return sh.policyDigest(c, p, d)
	}}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if err = r.openAudit(sh, c, p); err != nil {
		return nil, err
	}
	addr := c.String("metrics")
	if c.IsSet("metrics") {
		if addr, err = telemetry.Address(addr); err != nil {
			return nil, usage(fmt.Errorf("--metrics %w", err))
		}
	}
	r.telemetry, err = telemetry.Start(sh.ctx, telemetry.Options{Getenv: func(name string) string {
		value, _ := sh.getenv(name)
		return value
	}, Listen: addr != "", Version: version, Log: log})
	if err != nil {
		return nil, usage(err)
	}
	if addr == "" {
		return r, nil
	}
	bound, end, err := r.telemetry.Listen(sh.ctx, addr)
	if err != nil {
		return nil, usage(err)
	}
	r.end = end
	log(fmt.Sprintf("metrics on http://%s/metrics, health on /healthz and /readyz", bound))
	return r, nil
}

func (r *records) openAudit(sh *shell, c *cli.Context, p *pack.Pack) error {
	var kept pack.Audit
	if settings, err := p.Settings(); err == nil {
		kept = settings.Audit
	}
	if c.IsSet("audit") {
		if kept.File = c.String("audit"); kept.File == "" || kept.File == "-" {
			return usagef("say where the log is kept: --audit FILE")
		}
	}
	if kept.File == "" {
		return nil
	}
	rules, err := r.rules(p)
	if err != nil {
		return err
	}
	log, err := audit.Open(sh.ctx, audit.Options{Path: kept.File, Anvil: version, Pack: p.Manifest.ID, PackDigest: p.Manifest.Digest, PolicyDigest: rules, Payloads: kept.Payloads, Now: sh.now, Log: r.log})
	if err != nil && kept.Waived {
		r.log(fmt.Sprintf("calls are not put on record: %v", err))
		return nil
	}
	r.audit = log
	return err
}

// tookOver notes that another state of the pack is in force.
func (r *records) tookOver(p *pack.Pack) {
	if r.audit == nil {
		return
	}
	rules, err := r.rules(p)
	if err != nil { // every call is refused then
		r.log(fmt.Sprintf("the rules of %s cannot be told: %v", p.Dir, err))
	}
	r.audit.Serving(p.Manifest.Digest, rules)
}

// close writes and exports what waits. What cannot be is told, and is no error of the command: the calls are over.
func (r *records) close() {
	if r.audit != nil {
		if err := r.audit.Close(); err != nil {
			r.log(err.Error())
		}
	}
	r.end()
	if r.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastExport)
		defer cancel()
		if err := r.telemetry.Close(ctx); err != nil {
			r.log("not all telemetry was exported: " + err.Error())
		}
	}
}
