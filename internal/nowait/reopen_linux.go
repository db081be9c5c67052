package nowait

import (
	"fmt"
	"os"
	"syscall"
)

// Reopen returns a Writer to the pipe that f is, nil when it is none. The pipe is opened anew: whether writes wait is a matter of each opening, and those who share
// f must not be told otherwise. Its reader sees the end only once the Writer is closed as well.
func Reopen(f *os.File) *Writer {
	conn, err := f.SyscallConn()
	if info, statErr := f.Stat(); err != nil || statErr != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil
	}
	var own *os.File
	err = conn.Control(func(fd uintptr) {
		own, _ = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	})
	if err != nil || own == nil {
		return nil
	}
	w := To(own)
	w.own = own
	return w
}
