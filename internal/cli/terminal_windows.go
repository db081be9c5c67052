package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// singleKeys says that keys come in lines here: the letter, then Enter.
func singleKeys(any) (restore func(), ok bool) { return nil, false }

// forgetKeys drops what was typed before a question, which answers nothing. It reports false for what is no console.
func forgetKeys(in any) bool {
	file, isFile := in.(*os.File)
	return isFile && windows.FlushConsoleInputBuffer(windows.Handle(file.Fd())) == nil
}
