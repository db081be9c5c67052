// Package sqlstore keeps what is learned in a SQL database: SQLite for one machine, PostgreSQL for a fleet of facades that share what they learn. Both run one
// set of statements; a small dialect holds where they differ.
//
// Where it stands: it is the [learn.Store] behind a learn.Recorder, and what learn/evaluate, learn/view and the bridge read. Writers take turns, in SQLite by its
// lock and in PostgreSQL by an advisory one, so that a batch is read, merged and written as nobody else writes. Readers never wait for them.
//
// It judges nothing: what is folded, checked or concluded is learn's. How a database is opened, brought up to date and written in turns is internal/sqldb's.
package sqlstore
