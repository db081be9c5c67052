package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn/exchange"
)

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

// openSources opens all files, before a database is made. done closes them, also where it fails.
func (sh *shell) openSources(paths []string, from string) (sources []*importSource, done func(), err error) {
	done = func() {
		for _, src := range sources {
			src.close()
		}
	}
	for _, path := range paths {
		src, err := sh.openSource(path, from)
		if err != nil {
			return sources, done, err
		}
		sources = append(sources, src)
	}
	return sources, done, nil
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
