package cli

import (
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/pack"
	"anvil/compiler/pack/affect"
	"anvil/compiler/surface"
	"anvil/internal/config"
)

func affectedFlag(which string) cli.Flag {
	return &cli.StringFlag{Name: "pack", Usage: "tell of each difference what it touches of the pack in `FOLDER`" + which}
}

// touched is a pack of which a command tells what differences touch.
type touched struct {
	reader *affect.Reader
	dir    string
	old    map[string]*surface.McpSurfaceSnapshot // check: the snapshots of the servers that it can be of
}

// touchedPack opens the pack of --pack, or the one that the old side was read from; nil when there is none.
func touchedPack(c *cli.Context, old *pack.Pack) (*touched, error) {
	var err error
	p := old
	if dir := c.String("pack"); dir != "" {
		if p, err = pack.Open(dir); err != nil {
			return nil, fmt.Errorf("--pack: %w", err)
		}
	}
	if p == nil {
		return nil, nil
	}
	t := &touched{dir: p.Dir}
	t.reader, err = affect.Open(p)
	return t, err
}

// of refuses a pack that was made of another server than the old side is of.
func (t *touched) of(old *surface.McpSurfaceSnapshot) error {
	if t == nil || t.reader.Fits(old) {
		return nil
	}
	return usagef("--pack %s was made of the server %q, and OLD is a surface of %q: give the pack of that server, or make one with `anvil mcp adopt`",
		t.dir, t.reader.Service(), orUnnamed(old.ServerName()))
}

// mark adds to findings what they touch of the pack.
func (sh *shell) mark(t *touched, old, now *surface.McpSurfaceSnapshot, d diff.Delta, findings []diag.Finding) ([]diag.Finding, error) {
	if t == nil {
		return findings, nil
	}
	return t.reader.Mark(old, now, d, findings, sh.now())
}

// checkedPack is the pack of --pack with the snapshots of the servers that it can be of: the one that its facade asks, or else those whose surface is one
// of the service that it was made of. It is looked for before any server is started.
func (sh *shell) checkedPack(c *cli.Context, servers []config.Server) (*touched, error) {
	t, err := touchedPack(c, nil)
	if t == nil || err != nil {
		return nil, err
	}
	file, err := sh.loadConfig(c)
	if err != nil {
		return nil, err
	}
	upstream := t.reader.Upstream()
	byName := file != nil && slices.Contains(file.Names(), upstream)
	t.old = map[string]*surface.McpSurfaceSnapshot{}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	if c.IsSet("shard") { // the server may be in another one
		names = file.Names()
	}
	for _, name := range names {
		if byName && name != upstream {
			continue
		}
		old, err := baseline(storeOf(c), name) // what is wrong with the snapshot is the check's to say
		if err == nil && old != nil && t.reader.Fits(old) {
			t.old[name] = old
		}
	}
	if len(t.old) > 0 {
		return t, nil
	}
	whose := fmt.Sprintf("the server %q", t.reader.Service())
	if byName {
		whose += ", which is called " + upstream + " here"
	}
	return nil, usagef("--pack %s was made of %s, and no server that is checked (%s) has a snapshot of it in %s: name the server it was made of, or leave --pack out",
		t.dir, whose, strings.Join(names, ", "), storeOf(c).Dir)
}

// checkAll checks servers side by side.
func (sh *shell) checkAll(c *cli.Context, servers []config.Server, d differences) ([]outcome, error) {
	t, err := sh.checkedPack(c, servers)
	if err != nil {
		return nil, err
	}
	return sh.sideBySide(servers, c.Int("jobs"), func(_ int, s config.Server) outcome { return sh.checkTouching(c, t, s, d) }), nil
}

// checkTouching checks one server, and tells what its differences touch of the pack.
func (sh *shell) checkTouching(c *cli.Context, t *touched, s config.Server, d differences) outcome {
	out := sh.checkOne(c, s, d)
	if t == nil || t.old[s.Name] == nil || out.seen == nil {
		return out
	}
	old, now := t.old[s.Name], out.seen.snapshot
	findings, err := sh.mark(t, old, now, diff.Compare(old, now, d.Options), out.findings)
	if err != nil {
		return sh.failed(s.Name, err)
	}
	out.findings = findings
	return out
}
