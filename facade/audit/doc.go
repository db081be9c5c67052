// Package audit keeps the log of what was called and decided: JSON lines, each of which holds the hash of the one before it, so that what is changed,
// left out, put in or moved afterwards shows.
//
// It is the end of the serving flow: the facade hands over one [Entry] for each call, and a [Log] appends it. [Verify] reads the files again. The package
// decides nothing about calls; whether one is served without a log is the facade's to say.
//
// A record is written before the queue grows by many, and synced to the disk within a second, at the end of a file and on Close. A process that is killed
// loses the records that wait in its queue and those of the calls under way; a machine that stops loses a second more. Each file begins with a record of
// kind open, which carries the hash of the last record before it, in the file before it where there is one.
//
// The chain proves that a log is the one whose last hash somebody kept. Who holds the files alone can write all of them anew, and no reader could tell: keep
// the heads that Verify returns where the writer of the log cannot reach.
//
// The package must not hold payloads unless it was told to, and then without credentials, and must not block or allocate on the way of a call.
package audit
