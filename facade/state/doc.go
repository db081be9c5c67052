// Package state keeps what a facade must still know when it is started again: the ledger of keyed writes, and calls that wait for somebody's yes.
//
// Where it stands: a leaf below the facade, which reserves a write before it is sent and completes it before its result is acknowledged, and asks for calls that a
// person must approve. The command line lists both and decides. One database holds them, for one facade (a folder with a SQLite file) or for several (PostgreSQL).
//
// The ledger is one row for each key of a service's operation. It is open while a process has sent it, done once there is a result, and unknown where nobody can
// tell: it was said so, or its process is gone. Nothing becomes free by its age. Rows change by compare-and-set on the reservation's own id, so that no order of
// processes, kills and decisions makes one write two.
//
// A question is bound to one call by digests. Its token is kept as a hash alone; what a person is shown is kept until somebody decided or it expired.
//
// It must not know what a call is, read a result, or decide what is reserved or asked: that is the facade's. It logs nothing.
package state
