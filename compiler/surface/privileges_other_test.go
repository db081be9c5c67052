//go:build unix && !linux

package surface_test

// withoutPrivileges runs f; the tests are not run by root here.
func withoutPrivileges(f func()) { f() }
