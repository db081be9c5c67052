package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// maxFindings is after how many the search ends: the first ones say where to look.
const maxFindings = 100

// Verified is what was found in the files of a log.
type Verified struct {
	Files    []File         `json:"files"` // in the order of the chain
	Records  int            `json:"records"`
	Calls    int            `json:"calls"`
	Since    string         `json:"since"`             // hash of the record before the first one here
	Head     string         `json:"head"`              // hash of the last record: what to keep elsewhere
	Held     bool           `json:"held"`              // the chain holds the head that was asked for; true where none was
	Behind   int            `json:"behind"`            // records behind that head
	FirstBad string         `json:"firstBad,omitzero"` // FILE:LINE
	Findings []diag.Finding `json:"-"`
}

// File is one of them.
type File struct {
	Path    string `json:"path"`
	Number  int    `json:"number,omitzero"`
	First   int64  `json:"first,omitzero"` // sequence numbers
	Last    int64  `json:"last,omitzero"`
	Records int    `json:"records"`
}

// Verify reads the files of one log, in whatever order they are given, and holds every record against its hash and the one before it. head is a hash that
// somebody kept, "" for none: the chain must hold it. An error says that a file cannot be read.
func Verify(paths []string, head string) (Verified, error) {
	sorted, err := inOrder(paths)
	if err != nil {
		return Verified{}, err
	}
	c := &chain{head: head, seen: head == "" || head == noHash}
	for _, path := range sorted {
		if err := c.file(path); err != nil {
			return Verified{}, err
		}
	}
	c.finish()
	c.Held = c.seen
	return c.Verified, nil
}

// inOrder sorts files by their first record; those whose first line is none come last.
func inOrder(paths []string) ([]string, error) {
	first := map[string]uint64{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		text, err := bufio.NewReaderSize(f, maxLine).ReadSlice('\n')
		f.Close()
		if r, bad := parse(bytes.TrimSuffix(text, []byte("\n"))); err == nil && bad == nil {
			first[path] = r.Seq
		} else if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("read audit log: %w", err)
		} else {
			first[path] = 1<<64 - 1
		}
	}
	sorted := slices.Clone(paths)
	slices.SortStableFunc(sorted, func(a, b string) int {
		switch x, y := first[a], first[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return sorted, nil
}

// chain is the state of a reading.
type chain struct {
	Verified
	head string // asked for
	seen bool   // it was met

	last  Record
	any   bool   // there was a record
	waste []byte // lines that are no records, since the last one, as far as they can be a torn record
	from  int    // line where they begin
	why   error  // the first of them is none
	path  string
	line  int
	part  bool // the line read last goes on
}

// file reads one file.
func (c *chain) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read audit log: %w", err)
	}
	defer f.Close()
	c.path, c.line, c.part = path, 0, false
	c.Files = append(c.Files, File{Path: path})
	lines := bufio.NewReaderSize(f, maxLine)
	for {
		text, err := lines.ReadSlice('\n')
		if len(text) > 0 {
			c.take(text)
		}
		switch {
		case errors.Is(err, io.EOF):
			c.flushWaste(nil)
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("read audit log %s: %w", path, err)
		}
	}
}

// take reads one line, which ends with its newline if it is whole.
func (c *chain) take(text []byte) {
	line, whole := bytes.CutSuffix(text, []byte("\n"))
	if !c.part {
		c.line++
	}
	c.part = !whole
	r, err := parse(line)
	if err == nil && !whole {
		err = errors.New("its end is missing")
	}
	if err != nil {
		if c.waste == nil {
			c.from, c.why = c.line, err
		}
		if len(c.waste) <= tail {
			c.waste = append(c.waste, text...)
		}
		return
	}
	c.flushWaste(&r)
	c.follow(r)
}

// flushWaste says what the lines before next are that are no records. next is nil at the end of a file.
func (c *chain) flushWaste(next *Record) {
	if c.waste == nil {
		return
	}
	waste := c.waste
	c.waste = nil
	torn, ended := bytes.CutSuffix(waste, []byte("\n"))
	inner := bytes.IndexByte(torn, '\n') >= 0
	switch {
	case next != nil && next.Kind == kindTorn && ended && !inner && next.Digest == canon.Digest(torn) && next.Bytes == int64(len(torn)):
		c.find(tornRecord, c.from, fmt.Sprintf("a process ended in the middle of a record and left %d bytes of it; it may have lost the records of calls that were under way", len(torn)))
	case next == nil && !ended && !inner:
		c.find(cutShort, c.from, "the file ends in the middle of a record: a process ended there, writes there now, or the end was cut off")
	default:
		c.find(altered, c.from, "the line is no record as it was written: "+c.why.Error())
	}
}

// follow holds a whole record against the one before it.
func (c *chain) follow(r Record) {
	file := &c.Files[len(c.Files)-1]
	if file.Records++; file.Records == 1 {
		file.First = int64(r.Seq)
	}
	if file.Number == 0 {
		file.Number = r.File
	}
	file.Last = int64(r.Seq)
	switch {
	case !c.any:
		c.any, c.Since = true, r.Prev
		c.beginning(r)
	case r.Prev != c.last.Hash:
		c.find(broken, c.line, c.gap(r))
	case r.Seq != c.last.Seq+1:
		c.find(broken, c.line, fmt.Sprintf("record %d stands behind record %d", r.Seq, c.last.Seq))
	case (file.Records == 1 || c.last.Kind == kindRotate) && r.Kind != kindOpen && r.Kind != kindTorn:
		c.find(broken, c.line, "a record of kind open begins each file and stands behind each record of kind rotate; here is another one")
	case r.Kind == kindOpen && c.last.Kind != kindClose && c.last.Kind != kindRotate && c.last.Kind != kindTorn:
		c.find(notClosed, c.line, "the process before this record did not close the log; the records of calls that were under way then are missing")
	}
	c.Records++
	if r.Kind == kindCall {
		c.Calls++
	}
	if c.Behind++; r.Hash == c.head {
		c.seen, c.Behind = true, 0
	}
	if c.head == "" {
		c.Behind = 0
	}
	c.last, c.Head = r, r.Hash
}

// beginning says where the first record stands.
func (c *chain) beginning(r Record) {
	switch {
	case r.Kind != kindOpen && r.Kind != kindTorn:
		c.find(broken, c.line, fmt.Sprintf("the file begins with record %d of kind %s; what stood before it is missing", r.Seq, diag.Printable(r.Kind)))
	case (r.Seq == 1) != (r.Prev == noHash):
		c.find(broken, c.line, "the first record of a log, and no other, stands behind nothing")
	case r.Seq > 1 && r.Prev != c.head:
		c.find(startsLate, c.line, fmt.Sprintf("the files begin with record %d; those before it were not looked at", r.Seq))
	}
	if r.Prev == c.head { // the head is that of the file before
		c.seen = true
	}
}

// gap says what is wrong where a record does not name the one before it.
func (c *chain) gap(r Record) string {
	switch {
	case r.Seq > c.last.Seq+1:
		return fmt.Sprintf("records %d to %d are missing before it", c.last.Seq+1, r.Seq-1)
	case r.Seq <= c.last.Seq:
		return fmt.Sprintf("record %d stands behind record %d: records were moved, given twice or put in", r.Seq, c.last.Seq)
	}
	return "it was not written behind the record before it: one of the two was put in or written anew"
}

// finish says what the end tells.
func (c *chain) finish() {
	switch {
	case !c.any:
		c.find(broken, 1, "there is no record in it")
	case !c.seen:
		c.find(headMissing, c.line, "the head that was kept is not in the chain: the end was cut off or written anew, or the head is another log's")
	}
	if c.any && c.last.Kind != kindClose && c.last.Kind != kindRotate {
		c.find(notClosed, c.line, "the last record is none of kind close: the log is being written, its process was ended, or the end was cut off; only a head that was kept tells")
	}
}

func (c *chain) find(rule diag.Rule, line int, message string) {
	at := fmt.Sprintf("%s:%d", diag.Printable(c.path), line)
	if c.FirstBad == "" && rule.Class != diag.Info {
		c.FirstBad = at
	}
	if len(c.Findings) < maxFindings {
		c.Findings = append(c.Findings, rule.Finding(fmt.Sprintf("%s/line/%d", diag.Printable(c.path), line), message).Sealed())
	}
}

const (
	hashName   = `,"hash":"` + hexPrefix
	hashLength = len(hashName) + 2*sha256.Size + len(`"}`)
)

// parse reads a line without its newline, and holds it against its hash.
func parse(line []byte) (Record, error) {
	split := len(line) - hashLength
	if split < 0 || !strings.HasPrefix(string(line[split:]), hashName) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return Record{}, errors.New("it does not end with its hash")
	}
	want := sha256.Sum256(line[:split])
	if sum(&want) != string(line[len(line)-hashLength+len(hashName)-len(hexPrefix):len(line)-2]) {
		return Record{}, errors.New("its hash is another one")
	}
	var r Record
	if err := canon.Decode(line, &r); err != nil {
		return Record{}, fmt.Errorf("it cannot be read: %s; it may be of a newer anvil", diag.Printable(err.Error()))
	}
	return r, nil
}
