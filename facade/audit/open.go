package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/internal/atomicfile"
)

const (
	lockPatience = 500 * time.Millisecond

	// tail is how much of the end of a file is read when it is opened: more than what a machine that stopped can have left behind the last record.
	tail = 1 << 20
	// maxLine bounds a record, in bytes.
	maxLine = 128 << 10
)

// ErrNoLog says that a file holds something else.
var ErrNoLog = errors.New("is no audit log; give a file that is one, or one that is not there yet")

// Open opens the log at o.Path, or makes it, readable by its owner alone, and goes on with the chain that is there. What a process that ended in the middle of
// a record left behind stays, with a record about it. One process has a log open at a time: for another the error matches atomicfile.ErrLocked.
func Open(ctx context.Context, o Options) (*Log, error) {
	o = o.withDefaults()
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("open audit log %s: %w", o.Path, err)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open audit log %s: %s is in the way; give a regular file", o.Path, atomicfile.KindOf(info.Mode()))
	}
	o.Path = path
	unlock, err := atomicfile.Lock(ctx, path, lockPatience)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	l := &Log{options: o, unlock: unlock, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if err := l.resume(); err != nil {
		unlock()
		return nil, fmt.Errorf("open audit log %s: %w", path, err)
	}
	go l.run()
	return l, nil
}

// resume finds the end of the chain and writes the first record of this process.
func (l *Log) resume() error {
	end, err := l.last()
	if err != nil {
		return err
	}
	l.file, err = os.OpenFile(l.options.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	l.size, l.number, l.line.seq, l.line.hash = end.size, max(end.number, 1), end.seq, end.hash
	if end.torn != nil {
		l.line.buf = append(l.line.buf, '\n') // in one write with the record
		l.line.begin(kindTorn, l.options.Now())
		l.line.number("bytes", int64(len(end.torn)))
		l.line.text("digest", canon.Digest(end.torn))
		l.line.end()
	}
	l.begun()
	l.flush()
	if err := l.Err(); err != nil {
		l.file.Close()
		return err
	}
	if err := l.file.Sync(); err != nil {
		l.file.Close()
		return err
	}
	l.dirty = false
	syncDir(l.options.Path)
	return nil
}

// ending is how a chain ends.
type ending struct {
	size   int64
	number int // of the file to go on with
	seq    uint64
	hash   [32]byte
	torn   []byte // what stands behind the last record; nil for nothing
}

// last is where the chain ends: in the file, or in the full one before it where the file is not there yet or empty.
func (l *Log) last() (ending, error) {
	before, err := newest(l.options.Path)
	if err != nil {
		return ending{}, err
	}
	end, err := endOf(l.options.Path)
	if (err == nil && end.size > 0) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		if err == nil && end.seq == 0 && before > 0 { // the first record of a new file is torn: the chain goes on from the file before
			torn, size := end.torn, end.size
			end, err = endOf(numbered(l.options.Path, before))
			end.torn, end.size = torn, size
		}
		end.number = before + 1
		return end, err
	}
	if before == 0 {
		return ending{number: 1}, nil
	}
	end, err = endOf(numbered(l.options.Path, before))
	if err == nil && end.torn != nil {
		err = errors.New("its last full file ends in no record; see where with `anvil audit verify`, and keep the files aside")
	}
	end.size, end.number = 0, before+1
	return end, err
}

// newest is the highest number of a full file; 0 for none.
func newest(path string) (int, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	most := 0
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if n, err := strconv.Atoi(digits); ok && err == nil && len(digits) >= 6 {
			most = max(most, n)
		}
	}
	return most, nil
}

// endOf reads the end of a file.
func endOf(path string) (ending, error) {
	f, err := os.Open(path)
	if err != nil {
		return ending{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ending{}, err
	}
	end := ending{size: info.Size()}
	from := max(0, end.size-tail)
	text := make([]byte, end.size-from)
	if _, err := io.ReadFull(io.NewSectionReader(f, from, end.size-from), text); err != nil {
		return ending{}, err
	}
	return end, end.read(text, from == 0)
}

// read finds the last record in the end of a file. whole says that text is all of it.
func (e *ending) read(text []byte, whole bool) error {
	for stop := len(text); stop > 0; {
		at := bytes.LastIndexByte(text[:stop], '\n')
		if at < 0 {
			break
		}
		begin := bytes.LastIndexByte(text[:at], '\n') + 1
		if r, err := parse(text[begin:at]); err == nil && (begin > 0 || whole) {
			e.seq = r.Seq
			sum, _ := hex.DecodeString(strings.TrimPrefix(r.Hash, hexPrefix)) // parse compared it
			copy(e.hash[:], sum)
			if rest := text[at+1:]; len(rest) > 0 {
				e.torn = bytes.Clone(rest)
			}
			return nil
		}
		stop = begin
	}
	switch {
	case len(text) == 0:
		return nil
	case whole && len(text) < 4096 && bytes.HasPrefix(text, []byte(`{"seq":`)) && bytes.IndexByte(text, '\n') < 0:
		e.torn = bytes.Clone(text) // the first record never came to its end
		return nil
	}
	return ErrNoLog
}
