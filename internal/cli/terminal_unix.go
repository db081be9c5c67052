//go:build linux || darwin

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// singleKeys makes a terminal hand over each key as it is pressed, without showing it, until restore is called. Ctrl-C stays a signal. ok is false for
// what cannot be so set.
func singleKeys(in any) (restore func(), ok bool) {
	file, isFile := in.(*os.File)
	if !isFile {
		return nil, false
	}
	fd := int(file.Fd())
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, false
	}
	now := *was
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if unix.IoctlSetTermios(fd, setTermios, &now) != nil {
		return nil, false
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, was) }, true
}

// forgetKeys drops what was typed before a question, which answers nothing: a program can have typed it, or a person meant it for something else. It reports
// false for what is no terminal.
func forgetKeys(in any) bool {
	file, isFile := in.(*os.File)
	return isFile && flushKeys(int(file.Fd())) == nil
}
