package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
	"anvil/learn"
	"anvil/learn/conclude"
	"anvil/learn/profile"
	"anvil/learn/view"
)

func (sh *shell) learnViewCommand() *cli.Command {
	return &cli.Command{
		Name: "view", Usage: "publish what was learned as tools-metadata, or compare it with what was published before",
		Description: `The view has the layout of dev.adaptivemcp/tools-metadata. Several --db are summed, and judged anew; of one it says what ` + "`evaluate`" + ` concluded,
unless --pack or --budget-window says what to advise by.
A file that says the same already is left as it is. With --against FILE, an earlier view: how tools behave otherwise, beyond what chance makes, in --format text
(the default), json or yaml; --fail-on worse then exits 1 when one behaves worse.`,
		Flags: append(adviceFlags(),
			&cli.StringSliceFlag{Name: "db", Usage: dbUsage + "; may be repeated"}, configFlag(),
			&cli.StringFlag{Name: "out", Usage: "write the view to `FILE`: JSON where its name ends in .json, else YAML (default: stdout)"},
			&cli.StringFlag{Name: "against", Usage: "compare with the view in `FILE`"},
			&cli.StringFlag{Name: "fail-on", Usage: "with --against, exit 1 when a tool behaves `worse`"},
			&cli.StringFlag{Name: "format", Usage: "print as `FORMAT`: yaml (the default) or json; of --against text, json or yaml"},
		),
		Action: sh.learnView,
	}
}

// learnCompared is what view --against prints.
type learnCompared struct {
	SchemaVersion int               `json:"schemaVersion"`
	Report        string            `json:"report"`
	Before        string            `json:"before"` // etag of the earlier view
	After         string            `json:"after"`
	Worse         int               `json:"worse"` // differences that are
	Differences   []view.Difference `json:"differences"`
}

// viewRequest is what a line of view asks for.
type viewRequest struct {
	format, out string
	against     *view.Document
	failOnWorse bool
}

func (sh *shell) viewRequest(c *cli.Context) (r viewRequest, err error) {
	r = viewRequest{format: c.String("format"), out: c.String("out"), failOnWorse: c.IsSet("fail-on")}
	against := c.String("against")
	allowed := []string{"yaml", "json"}
	if c.IsSet("against") {
		allowed = []string{"text", "json", "yaml"}
	}
	if r.format = cmp.Or(r.format, allowed[0]); !slices.Contains(allowed, r.format) {
		return r, usagef("--format %q is not known here: use one of %s", r.format, strings.Join(allowed, ", "))
	}
	switch {
	case r.failOnWorse && c.String("fail-on") != "worse":
		return r, usagef("--fail-on %q is not known here: it takes worse", c.String("fail-on"))
	case r.failOnWorse && against == "":
		return r, usagef("--fail-on is about a comparison: name an earlier view with --against FILE")
	case against == "" && c.IsSet("against"):
		return r, usagef("--against is empty; name an earlier view")
	case r.out != "" && r.out != "-" && against == "" && c.IsSet("format") && (r.format == "json") != strings.HasSuffix(r.out, ".json"):
		return r, usagef("--out %s is written as its name says; leave --format %s out, or name another file", r.out, r.format)
	case r.out == "-" && against != "":
		return r, usagef("the view and the comparison would both go to stdout: name a file with --out")
	case against == "":
		return r, sh.noArguments(c, 0)
	}
	text, err := atomicfile.ReadFile(against, maxView)
	if err != nil {
		return r, usagef("--against: %w", err)
	}
	before, err := view.Decode(text)
	if err != nil {
		return r, usagef("--against %s: %w", against, err)
	}
	if before.Canon == canon.ID && !before.Intact() {
		return r, usagef("--against %s was changed since it was written: its etag is not that of what it says; publish it anew with --out", diag.Printable(against))
	}
	r.against = &before
	return r, sh.noArguments(c, 0)
}

// maxView bounds the file of a view, in bytes.
const maxView = 64 << 20

func (sh *shell) learnView(c *cli.Context) (err error) {
	request, err := sh.viewRequest(c)
	if err != nil {
		return err
	}
	advice, err := sh.advice(c)
	if err != nil {
		return err
	}
	stores, done, err := sh.viewStores(c, request.out)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, done()) }()
	defer sh.keepsWaiting("reading what was learned\n")()
	now := sh.now()
	profiles, err := profile.Build(sh.ctx, conclude.Sum(now, conclude.Options{Advice: advice, Anew: c.IsSet("pack") || c.IsSet("budget-window")}, stores...), learn.Filter{}, now)
	if err != nil {
		return err
	}
	doc, err := view.Build(profiles, now)
	if err != nil {
		return err
	}
	if request.out != "" && request.out != "-" {
		if err := sh.publish(request.out, doc); err != nil {
			return err
		}
	} else if request.against == nil {
		data, err := reportBytes(doc, request.format)
		if err != nil {
			return err
		}
		return sh.writeResult("", sh.secret.hide(data))
	}
	if request.against == nil {
		return nil
	}
	return sh.compareViews(request, doc)
}

// viewStores opens all that --db names, or the configured one.
func (sh *shell) viewStores(c *cli.Context, out string) (stores []learn.Store, done func() error, err error) {
	done = func() (err error) {
		for _, s := range stores {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	dbs := c.StringSlice("db")
	if len(dbs) == 0 {
		db, err := sh.learnDB(c)
		if err != nil {
			return nil, nil, err
		}
		dbs = []string{db}
	}
	for i, db := range dbs {
		if err := notTheStore(out, db); err != nil {
			return nil, nil, errors.Join(err, done())
		}
		if slices.ContainsFunc(dbs[:i], func(other string) bool { return sameFile(db, other) }) {
			return nil, nil, errors.Join(usagef("--db %s is named twice, and would count twice", withoutPassword(db)), done())
		}
		s, err := sh.openStore(db, false)
		if err != nil {
			return nil, nil, cmp.Or(err, done())
		}
		stores = append(stores, s)
	}
	return stores, done, nil
}

// notTheStore refuses to write to the database that is read, to what SQLite keeps beside it, and to any other database.
func notTheStore(out, db string) error {
	if out == "" || out == "-" {
		return nil
	}
	refused := func(what string) error {
		return usagef("--out %s is %s, which would be lost; name another file", diag.Printable(out), what)
	}
	path := strings.TrimPrefix(db, "sqlite:")
	for _, beside := range []string{"", "-wal", "-shm", "-journal"} {
		if !isPostgres(db) && (filepath.Clean(out) == filepath.Clean(path+beside) || sameFile(out, path+beside)) {
			return refused("the store that is read")
		}
		// Of a database that is not read, what lies beside it is told by its name.
		if of, is := strings.CutSuffix(out, beside); is && isDatabase(of) {
			return refused("a database")
		}
	}
	return nil
}

// isDatabase reports a file that begins as those of SQLite do.
func isDatabase(path string) bool {
	const head = "SQLite format 3\x00"
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	have := make([]byte, len(head))
	_, err = io.ReadFull(f, have)
	return err == nil && string(have) == head
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(strings.TrimPrefix(a, "sqlite:"))
	y, errY := os.Stat(strings.TrimPrefix(b, "sqlite:"))
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// publish writes a view to a file, unless it says the same.
func (sh *shell) publish(path string, doc view.Document) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		text, err := doc.Text(path)
		if err != nil {
			return err
		}
		return sh.writeResult(path, text)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	p := view.Publisher{Path: path, Make: func(context.Context) (view.Document, error) { return doc, nil }}
	wrote, err := p.Publish(sh.ctx, sh.now())
	if errors.Is(err, view.ErrNoView) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	said := "unchanged"
	if wrote {
		said = "wrote"
	}
	fmt.Fprintf(sh.err, "%s %s (%s, etag %s)\n", said, diag.Printable(path), counted(len(doc.Tools), "tool"), doc.Etag)
	return nil
}

func (sh *shell) compareViews(request viewRequest, doc view.Document) error {
	report := learnCompared{diag.SchemaVersion, "learn-compare", request.against.Etag, doc.Etag, 0, view.Compare(*request.against, doc)}
	if report.Differences == nil {
		report.Differences = []view.Difference{}
	}
	for _, d := range report.Differences {
		if d.Worse {
			report.Worse++
		}
	}
	err := sh.printed("", request.format, report, func() ([]byte, error) { return report.text(), nil })
	return cmp.Or(err, found(request.failOnWorse && report.Worse > 0))
}

func (r learnCompared) text() []byte {
	var b bytes.Buffer
	var rows [][]string
	for _, d := range r.Differences {
		rows = append(rows, []string{betterOrWorse(d), learn.Tool{Server: d.Server, Name: d.Tool}.String(), string(d.Measure), d.Message})
	}
	writeTable(&b, false, []string{"HOW", "TOOL", "MEASURE", "WHAT"}, rows)
	if len(rows) == 0 {
		b.WriteString("tools behave as they did\n")
		return b.Bytes()
	}
	fmt.Fprintf(&b, "\n%s, %d for the worse\n", counted(len(rows), "difference"), r.Worse)
	return b.Bytes()
}

// betterOrWorse is how a tool behaves otherwise.
func betterOrWorse(d view.Difference) string {
	return map[bool]string{true: "worse", false: "other"}[d.Worse]
}
