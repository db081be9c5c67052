// Package nowait writes to pipes what they take at once, and never waits for their reader: whoever has a goroutine that may wait spares itself the change to it
// while the reader keeps up.
package nowait

import (
	"os"
	"syscall"
)

// Writer writes to one pipe. It is not safe for concurrent use; nil takes nothing.
type Writer struct {
	own   *os.File // to be closed with it; nil where the file is somebody else's
	conn  syscall.RawConn
	bytes []byte
	n     int
	once  func(fd uintptr) bool
}

// To returns a Writer to a pipe of [os.Pipe] that has been in no other hands: it does not block. On systems where nothing can be written without waiting it is nil.
func To(f *os.File) *Writer {
	conn, err := f.SyscallConn()
	if err != nil || !supported {
		return nil
	}
	w := &Writer{conn: conn}
	w.once = func(fd uintptr) bool {
		w.n = write(fd, w.bytes)
		return true // never wait
	}
	return w
}

// Write writes what there is room for and returns how much that was; 0 as well when the pipe is broken, which a write that waits then tells of.
func (w *Writer) Write(b []byte) (n int) {
	if w == nil {
		return 0
	}
	w.bytes, w.n = b, 0
	err := w.conn.Write(w.once)
	if w.bytes = nil; err != nil {
		return 0
	}
	return w.n
}

// Close closes what Reopen opened.
func (w *Writer) Close() error {
	if w == nil || w.own == nil {
		return nil
	}
	return w.own.Close()
}
