package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/exchange"
	"anvil/learn/sqlstore"
)

// The formats that import takes.
const (
	fromJSONL          = "jsonl"
	fromOTLP           = "otlp"
	fromAdaptiveEvents = "adaptive-events"
	fromAdaptive       = "adaptive"
)

var importFormats = []string{"auto", fromJSONL, fromOTLP, fromAdaptiveEvents, fromAdaptive}

func (sh *shell) learnImportCommand() *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "bring calls that others observed", ArgsUsage: "FILE...",
		Description: `Reads anvil's own lines (jsonl), spans of OpenTelemetry as OTLP JSON (otlp), the events of adaptive-mcp, a line each (adaptive-events), and its
SQLite file (adaptive); - is stdin. Arguments and results become sizes, shapes and keyed digests and are not kept, but for the redacted text in anvil's own lines. Bringing a file twice changes nothing, and
no file lowers the risk that is stated of a tool. A record
that cannot be taken is told with its line, and the others are kept; with --strict nothing is, and the exit code is 1. The database is made if there is none.`,
		Flags: learnFlags(
			&cli.StringFlag{Name: "from", Value: "auto", Usage: "what FILE is: `FORMAT` " + strings.Join(importFormats, ", ") + " (auto: by its content)"},
			&cli.BoolFlag{Name: "strict", Usage: "bring nothing of a file that holds a record that cannot be taken"},
			formatFlag("text", "json", "yaml"),
		),
		Action: sh.learnImport,
	}
}

// learnImported is what import prints.
type learnImported struct {
	SchemaVersion int           `json:"schemaVersion"`
	Report        string        `json:"report"`
	Files         []importedRow `json:"files"`
}

// importedRow is what became of one file.
type importedRow struct {
	File       string   `json:"file"`
	From       string   `json:"from"`       // its format: jsonl, otlp, adaptive-events, adaptive
	Kept       int      `json:"kept"`       // calls that are new
	Repeated   int      `json:"repeated"`   // calls that were there
	Bad        int      `json:"bad"`        // records of which no call could be made
	Sums       int      `json:"sums"`       // tools of which sums alone were brought
	Statements int      `json:"statements"` // tools of which people state something
	Why        []badRow `json:"why"`        // of the first 20 that are bad, or state what does not count here
}

// badRow is a record that was not taken.
type badRow struct {
	Line    int    `json:"line,omitzero"` // from 1; absent in what has no lines
	Problem string `json:"problem"`
}

func (sh *shell) learnImport(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err = cmp.Or(err, sh.onlyDashDash()); err != nil {
		return err
	}
	if !slices.Contains(importFormats, c.String("from")) {
		return usagef("--from %q is not known here: use one of %s", c.String("from"), strings.Join(importFormats, ", "))
	}
	if c.NArg() == 0 {
		return usagef("say what to bring: anvil learn import FILE --db DB; - is stdin")
	}
	sources, done, err := sh.openSources(c.Args().Slice(), c.String("from"))
	defer done()
	if err != nil {
		return err
	}
	db, err := sh.learnDB(c)
	if err != nil {
		return err
	}
	s, err := sh.openStore(db, true)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	defer sh.keepsWaiting("bringing what was observed\n")()
	report := learnImported{diag.SchemaVersion, "learn-import", []importedRow{}}
	bad := false
	for _, src := range sources {
		v, err := sh.importFile(s, src, c.Bool("strict"))
		if err != nil {
			return fmt.Errorf("import %s: %w", src.name, err)
		}
		bad = bad || v.Bad > 0
		report.Files = append(report.Files, v)
	}
	err = sh.printed("", format, report, func() ([]byte, error) { return report.text(evaluateCommand(c)), nil })
	return cmp.Or(err, found(bad && c.Bool("strict")))
}

// importFile brings one file. Where it is strict, it is read once before, and nothing is brought where a record is bad.
func (sh *shell) importFile(s *sqlstore.Store, src *importSource, strict bool) (importedRow, error) {
	if src.from == fromAdaptive {
		return sh.importAdaptive(s, src, strict)
	}
	if !strict {
		return sh.importEvents(s, src, src.r)
	}
	again, done, err := sh.rereadable(src)
	if err != nil {
		return importedRow{}, err
	}
	defer done()
	dry := &importing{row: importedRow{File: src.name, From: src.from, Why: []badRow{}}}
	for _, err := range readEvents(src.from, src.r, sh.readOptions(s)) {
		if err = dry.reject(err); err != nil {
			return dry.row, usageOf(err)
		}
	}
	if dry.row.Bad > 0 {
		return dry.row, nil
	}
	from, err := again()
	if err != nil {
		return dry.row, err
	}
	return sh.importEvents(s, src, from)
}

func (sh *shell) readOptions(s *sqlstore.Store) exchange.Options {
	return exchange.Options{Now: sh.now(), Digester: learn.Digester{Key: s.Key()}}
}

func readEvents(from string, r io.Reader, o exchange.Options) iter.Seq2[learn.Event, error] {
	switch from {
	case fromOTLP:
		return exchange.ReadOTLP(r, o)
	case fromAdaptiveEvents:
		return exchange.ReadAdaptiveEvents(r, o)
	}
	return exchange.ReadJSONL(r, o)
}

// usageOf is the error of a file that is not what it was taken for.
func usageOf(err error) error {
	var version *exchange.VersionError
	if errors.As(err, &version) {
		return usage(err)
	}
	return err
}

func (sh *shell) importEvents(s *sqlstore.Store, src *importSource, r io.Reader) (importedRow, error) {
	in := &importing{ctx: sh.ctx, store: s, row: importedRow{File: src.name, From: src.from, Why: []badRow{}}}
	for e, err := range readEvents(src.from, r, sh.readOptions(s)) {
		switch {
		case err != nil:
			if err = in.reject(err); err != nil {
				return in.row, errors.Join(usageOf(err), in.flush())
			}
		default:
			if err := in.add(e); err != nil {
				return in.row, err
			}
		}
	}
	return in.row, in.flush()
}

// importing puts events into a store, many at once.
type importing struct {
	ctx   context.Context
	store *sqlstore.Store
	batch []learn.Event
	row   importedRow
}

// importBatch is how many events are written at once, and maxWhy of how many bad records the reason is told.
const (
	importBatch = 4096
	maxWhy      = 20
)

func (in *importing) add(e learn.Event) error {
	if in.batch = append(in.batch, e); len(in.batch) < importBatch {
		return nil
	}
	return in.flush()
}

func (in *importing) flush() error {
	if len(in.batch) == 0 {
		return nil
	}
	done, err := in.store.Record(in.ctx, in.batch)
	in.batch = in.batch[:0]
	if err != nil {
		return err
	}
	in.row.Kept += done.Kept
	in.row.Repeated += done.Repeated
	in.row.Bad += done.Bad
	for _, bad := range done.Told {
		in.why(badRow{Problem: bad.Error()})
	}
	return nil
}

// reject notes a record that was not taken; any other error it returns.
func (in *importing) reject(err error) error {
	var record *exchange.RecordError
	var version *exchange.VersionError
	if err == nil || errors.As(err, &version) || !errors.As(err, &record) {
		return err
	}
	in.row.Bad++
	problem := record.Err.Error()
	if record.Span != "" {
		problem = "span " + record.Span + ": " + problem
	}
	in.why(badRow{record.Line, problem})
	return nil
}

func (in *importing) why(v badRow) {
	if len(in.row.Why) < maxWhy {
		v.Problem = learn.Redacted(v.Problem)
		in.row.Why = append(in.row.Why, v)
	}
}

func (r learnImported) text(next string) []byte {
	var b bytes.Buffer
	kept := 0
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s (%s): %d kept, %d repeated, %d bad", f.File, f.From, f.Kept, f.Repeated, f.Bad)
		if f.Sums > 0 {
			fmt.Fprintf(&b, ", sums of %s", counted(f.Sums, "tool"))
		}
		if f.Statements > 0 {
			fmt.Fprintf(&b, ", what people state of %s", counted(f.Statements, "tool"))
		}
		b.WriteString("\n")
		for _, w := range f.Why {
			at := ""
			if w.Line > 0 {
				at = fmt.Sprintf("line %d: ", w.Line)
			}
			fmt.Fprintf(&b, "  %s%s\n", at, diag.Shorten(diag.Printable(w.Problem), maxPageCell))
		}
		if more := f.Bad - len(f.Why); more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
		kept += f.Kept + f.Sums
	}
	if kept > 0 {
		fmt.Fprintf(&b, "next: `%s` draws the conclusions\n", next)
	}
	return b.Bytes()
}
