package audit

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxBatch is how much is collected before it is written, in bytes.
const maxBatch = 256 << 10

// write appends what was handed over.
func (l *Log) write(items []item) {
	written := 0
	for i := range items {
		if l.failed.Load() != nil {
			l.lost.Add(1)
		} else {
			l.add(items[i])
		}
		if items[i].call != nil {
			l.release(items[i].call)
		}
		items[i] = item{}
		if len(l.line.buf) >= maxBatch {
			l.flush()
			l.took(i + 1 - written)
			written = i + 1
		}
	}
	l.flush()
	l.took(len(items) - written)
}

func (l *Log) add(i item) {
	if l.size+int64(len(l.line.buf)) >= l.options.MaxSize {
		l.rotate()
	}
	l.collected++
	if i.call != nil {
		l.line.call(i.call)
		return
	}
	l.options.PackDigest, l.options.PolicyDigest = i.pack.PackDigest, i.pack.PolicyDigest
	l.line.begin(kindPack, l.options.Now())
	l.line.text("packDigest", l.options.PackDigest)
	l.line.text("policyDigest", l.options.PolicyDigest)
	l.line.end()
}

// flush hands the collected lines to the system.
func (l *Log) flush() {
	if len(l.line.buf) == 0 || l.failed.Load() != nil {
		return
	}
	n, err := l.file.Write(l.line.buf)
	l.size += int64(n)
	l.dirty = true
	if err != nil {
		l.lost.Add(l.collected)
		l.fail(err)
	}
	l.line.buf, l.collected = l.line.buf[:0], 0
}

// sync has what is written reach the disk.
func (l *Log) sync() {
	if !l.dirty || l.failed.Load() != nil {
		return
	}
	l.dirty = false
	if err := l.file.Sync(); err != nil {
		l.fail(err)
	}
}

// begun writes the record that begins a file, and that of a process that goes on with one.
func (l *Log) begun() {
	l.line.begin(kindOpen, l.options.Now())
	l.line.text("format", Format)
	l.line.text("anvil", l.options.Anvil)
	l.line.text("pack", l.options.Pack)
	l.line.text("packDigest", l.options.PackDigest)
	l.line.text("policyDigest", l.options.PolicyDigest)
	l.line.number("file", int64(l.number))
	l.line.end()
}

// rotate ends the file and begins the next one. The full one gets its number behind its name.
func (l *Log) rotate() {
	l.line.begin(kindRotate, l.options.Now())
	l.line.number("file", int64(l.number))
	l.line.end()
	l.flush()
	l.sync()
	if l.failed.Load() != nil {
		return
	}
	if err := l.next(); err != nil {
		l.fail(err)
		return
	}
	l.begun()
}

func (l *Log) next() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	full := numbered(l.options.Path, l.number)
	if _, err := os.Lstat(full); err == nil {
		return fmt.Errorf("%s is in the way: %w", full, fs.ErrExist)
	}
	if err := os.Rename(l.options.Path, full); err != nil {
		return err
	}
	file, err := os.OpenFile(l.options.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	l.file, l.size = file, 0
	l.number++
	syncDir(l.options.Path)
	return nil
}

// finish writes the last record and closes the file.
func (l *Log) finish() {
	if l.failed.Load() == nil {
		l.line.begin(kindClose, l.options.Now())
		l.line.end()
		l.flush()
		l.sync()
	}
	if err := l.file.Close(); err != nil {
		l.fail(err)
	}
}

func numbered(path string, number int) string { return fmt.Sprintf("%s.%06d", path, number) }

// syncDir makes the names of files durable; some file systems refuse it.
func syncDir(path string) {
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
