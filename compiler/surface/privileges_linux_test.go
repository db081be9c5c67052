package surface_test

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// withoutPrivileges runs f as a user to whom file modes apply, also when root runs the tests.
func withoutPrivileges(f func()) {
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	runtime.LockOSThread() // the kernel keeps it per thread
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(nobody); err != nil {
		panic(err)
	}
	defer unix.Setfsuid(0)
	f()
}
