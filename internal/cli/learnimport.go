package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
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
SQLite file (adaptive); - is stdin. Arguments and results become sizes, shapes and keyed digests and are not kept. Bringing a file twice changes nothing. A record
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
	SchemaVersion int            `json:"schemaVersion"`
	Report        string         `json:"report"`
	Files         []importedView `json:"files"`
}

// importedView is what became of one file.
type importedView struct {
	File     string        `json:"file"`
	From     string        `json:"from"`     // its format: jsonl, otlp, adaptive-events, adaptive
	Kept     int           `json:"kept"`     // calls that are new
	Repeated int           `json:"repeated"` // calls that were there
	Refused  int           `json:"refused"`  // records of which no call could be made
	Sums     int           `json:"sums"`     // tools of which sums alone were brought
	Why      []refusedView `json:"why"`      // of the first 20 that were refused
}

// refusedView is a record that was not taken.
type refusedView struct {
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
	var sources []*importSource
	defer func() {
		for _, src := range sources {
			src.close()
		}
	}()
	for _, path := range c.Args().Slice() { // all of them, before a database is made
		src, err := sh.openSource(path, c.String("from"))
		if err != nil {
			return err
		}
		sources = append(sources, src)
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
	report := learnImported{diag.SchemaVersion, "learn-import", []importedView{}}
	refused := false
	for _, src := range sources {
		v, err := sh.importFile(s, src, c.Bool("strict"))
		if err != nil {
			return fmt.Errorf("import %s: %w", src.name, err)
		}
		refused = refused || v.Refused > 0
		report.Files = append(report.Files, v)
	}
	err = sh.printed("", format, report, func() ([]byte, error) { return report.text(evaluateCommand(c)), nil })
	return cmp.Or(err, found(refused && c.Bool("strict")))
}

// importSource is a file to bring, opened.
type importSource struct {
	name string // as messages have it
	path string // of a file of SQLite's, and of what can be read twice; "" for stdin
	from string
	r    *bufio.Reader
	file *os.File // nil for stdin
}

func (src *importSource) close() {
	if src.file != nil {
		_ = src.file.Close()
	}
}

// peeked is how much of a file its format is told by, in bytes: the first line of any.
const peeked = 64 << 10

func (sh *shell) openSource(path, from string) (*importSource, error) {
	src := &importSource{name: diag.Printable(path), path: path, from: from}
	if path == "-" {
		src.name, src.path, src.r = "stdin", "", bufio.NewReaderSize(sh.in, peeked)
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, usage(err)
		}
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, errors.Join(usagef("%s is a folder: give the files in it", path), file.Close())
		}
		src.file, src.r = file, bufio.NewReaderSize(file, peeked)
	}
	head, err := src.r.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) {
		src.close()
		return nil, usagef("%s: %w", src.name, err)
	}
	sqlite := bytes.HasPrefix(head, []byte("SQLite format 3\x00"))
	if from == "auto" {
		src.from = formatOf(head)
	}
	switch {
	case src.from == "":
		src.close()
		return nil, usagef("%s is nothing that anvil brings: it takes the lines of `anvil learn export`, OTLP JSON, the events of adaptive-mcp and its SQLite file; "+
			"say which it is with --from", src.name)
	case src.from == fromAdaptive && src.path == "":
		return nil, usagef("a SQLite file cannot come from stdin: give its path")
	case src.from == fromAdaptive != sqlite:
		src.close()
		return nil, usagef("%s is %s SQLite file; leave --from out, or correct it", src.name, map[bool]string{true: "a", false: "no"}[sqlite])
	}
	return src, nil
}

// formatOf tells a format by the beginning of a file, "" where it is none.
func formatOf(head []byte) string {
	if bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return fromAdaptive
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if n, err := canon.Parse(bytes.TrimSpace(line)); err == nil && n.IsObject() {
		switch {
		case n.Get("format").Text() == exchange.Format:
			return fromJSONL
		case n.Get("resourceSpans") != nil:
			return fromOTLP
		case n.Get("toolName") != nil:
			return fromAdaptiveEvents
		}
	}
	switch { // a document over several lines, or a first line that is longer than was looked at
	case !bytes.HasPrefix(text, []byte("{")):
		return ""
	case bytes.Contains(text, []byte(`"resourceSpans"`)):
		return fromOTLP
	case bytes.Contains(line, []byte(`"toolName"`)):
		return fromAdaptiveEvents
	}
	return ""
}

// importFile brings one file. Where it is strict, it is read once before, and nothing is brought where a record is bad.
func (sh *shell) importFile(s *sqlstore.Store, src *importSource, strict bool) (importedView, error) {
	if src.from == fromAdaptive {
		return sh.importAdaptive(s, src, strict)
	}
	if !strict {
		return sh.importEvents(s, src, src.r)
	}
	again, done, err := sh.rereadable(src)
	if err != nil {
		return importedView{}, err
	}
	defer done()
	dry := &importing{view: importedView{File: src.name, From: src.from, Why: []refusedView{}}}
	for _, err := range readEvents(src.from, src.r, sh.readOptions(s)) {
		if err = dry.refuse(err); err != nil {
			return dry.view, usageOf(err)
		}
	}
	if dry.view.Refused > 0 {
		return dry.view, nil
	}
	from, err := again()
	if err != nil {
		return dry.view, err
	}
	return sh.importEvents(s, src, from)
}

// rereadable makes a source one that can be read twice: stdin goes through a file.
func (sh *shell) rereadable(src *importSource) (again func() (io.Reader, error), done func(), err error) {
	file := src.file
	done = func() {}
	if file == nil {
		if file, err = os.CreateTemp("", "anvil-import-*"); err != nil {
			return nil, nil, err
		}
		done = func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) }
		src.r = bufio.NewReaderSize(io.TeeReader(src.r, file), peeked)
	}
	return func() (io.Reader, error) {
		_, err := file.Seek(0, io.SeekStart)
		if err != nil {
			err = fmt.Errorf("--strict reads it twice, and it cannot be: %w", err)
		}
		return file, err
	}, done, nil
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

func (sh *shell) importEvents(s *sqlstore.Store, src *importSource, r io.Reader) (importedView, error) {
	in := &importing{ctx: sh.ctx, store: s, view: importedView{File: src.name, From: src.from, Why: []refusedView{}}}
	for e, err := range readEvents(src.from, r, sh.readOptions(s)) {
		switch {
		case err != nil:
			if err = in.refuse(err); err != nil {
				return in.view, errors.Join(usageOf(err), in.flush())
			}
		default:
			if err := in.add(e); err != nil {
				return in.view, err
			}
		}
	}
	return in.view, in.flush()
}

// importing puts events into a store, many at once.
type importing struct {
	ctx   context.Context
	store *sqlstore.Store
	batch []learn.Event
	view  importedView
}

// importBatch is how many events are written at once, and maxWhy of how many that were refused the reason is told.
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
	in.view.Kept += done.Kept
	in.view.Repeated += done.Repeated
	in.view.Refused += done.Bad
	for _, bad := range done.Refused {
		in.why(refusedView{Problem: bad.Error()})
	}
	return nil
}

// refuse notes a record that was not taken; any other error it returns.
func (in *importing) refuse(err error) error {
	var record *exchange.RecordError
	var version *exchange.VersionError
	if err == nil || errors.As(err, &version) || !errors.As(err, &record) {
		return err
	}
	in.view.Refused++
	problem := record.Err.Error()
	if record.Span != "" {
		problem = "span " + record.Span + ": " + problem
	}
	in.why(refusedView{record.Line, problem})
	return nil
}

func (in *importing) why(v refusedView) {
	if len(in.view.Why) < maxWhy {
		v.Problem = learn.Redacted(v.Problem)
		in.view.Why = append(in.view.Why, v)
	}
}

// importAdaptive brings a file of adaptive-mcp's: calls, statements of people, and sums of tools without calls.
func (sh *shell) importAdaptive(s *sqlstore.Store, src *importSource, strict bool) (importedView, error) {
	in := &importing{ctx: sh.ctx, store: s, view: importedView{File: src.name, From: src.from, Why: []refusedView{}}}
	if strict {
		for f, err := range sqlstore.ReadAdaptive(sh.ctx, src.path) {
			if err != nil {
				return in.view, opened(err, src.path)
			}
			if o := f.Observation; o != nil {
				if _, err := o.Checked(sh.now()); err != nil {
					in.view.Refused++
					in.why(refusedView{Problem: err.Error()})
				}
			}
		}
		if in.view.Refused > 0 {
			return in.view, nil
		}
	}
	digester := learn.Digester{Key: s.Key()}
	for f, err := range sqlstore.ReadAdaptive(sh.ctx, src.path) {
		if err != nil {
			return in.view, errors.Join(opened(err, src.path), in.flush())
		}
		if err := in.take(f, digester); err != nil {
			return in.view, err
		}
	}
	return in.view, in.flush()
}

func (in *importing) take(f sqlstore.Found, digester learn.Digester) error {
	if f.Annotation != nil {
		if err := in.store.Annotate(in.ctx, f.Tool.Server, f.Tool.Name, *f.Annotation); err != nil {
			return err
		}
	}
	if o := f.Observation; o != nil {
		e := o.Event
		if o.Arguments != nil {
			e.Input = digester.Payload(o.Arguments)
		}
		if o.Result != nil {
			e.Output = digester.Payload(o.Result)
		}
		if err := in.add(e); err != nil {
			return err
		}
	}
	if len(f.Cells) == 0 {
		return nil
	}
	taken, err := in.store.Import(in.ctx, f.Source, f.Tool, f.Cells)
	if taken {
		in.view.Sums++
	}
	return err
}

func (r learnImported) text(next string) []byte {
	var b bytes.Buffer
	kept := 0
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s (%s): %d kept, %d repeated, %d refused", f.File, f.From, f.Kept, f.Repeated, f.Refused)
		if f.Sums > 0 {
			fmt.Fprintf(&b, ", sums of %s", counted(f.Sums, "tool"))
		}
		b.WriteString("\n")
		for _, w := range f.Why {
			at := ""
			if w.Line > 0 {
				at = fmt.Sprintf("line %d: ", w.Line)
			}
			fmt.Fprintf(&b, "  %s%s\n", at, diag.Shorten(diag.Printable(w.Problem), maxPageCell))
		}
		if more := f.Refused - len(f.Why); more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
		kept += f.Kept + f.Sums
	}
	if kept > 0 {
		fmt.Fprintf(&b, "next: `%s` draws the conclusions\n", next)
	}
	return b.Bytes()
}

func (sh *shell) learnExportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the calls that were observed, for others or for another store",
		Description: "Writes anvil's own lines (`anvil schema learn-events`), or spans of OpenTelemetry as OTLP JSON. `anvil learn import` takes both back.",
		Flags: learnFlags(
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` (default: stdout)"},
			&cli.StringFlag{Name: "since", Usage: "the calls that ended since `TIME` alone: a date, a moment, or how long ago, such as 7d or 12h"},
			formatFlag(fromJSONL, fromOTLP),
		),
		Action: sh.learnExport,
	}
}

func (sh *shell) learnExport(c *cli.Context) (err error) {
	format, err := parseFormat(c, fromJSONL, fromOTLP)
	if err = cmp.Or(err, sh.noArguments(c, 0)); err != nil {
		return err
	}
	since, err := sh.since(c)
	if err != nil {
		return err
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	n := 0
	write := func(w io.Writer) (err error) {
		events := s.Events(sh.ctx, learn.Query{Since: since})
		if format == fromOTLP {
			n, err = exchange.WriteOTLP(w, events)
		} else {
			n, err = exchange.WriteJSONL(w, events)
		}
		return err
	}
	if out := c.String("out"); out != "" && out != "-" {
		err = atomicfile.WriteStream(out, 0o644, write)
	} else {
		err = write(sh.out)
	}
	if err == nil {
		fmt.Fprintf(sh.err, "%s exported\n", counted(n, "call"))
	}
	return err
}
