package state

import (
	"anvil/internal/sqldb"
)

// Moments are microseconds since 1970; 0 is none, and there are no NULLs.
var migrations = []sqldb.Migration{
	{Name: "ledger and asks", Schema: `
CREATE TABLE owner ( -- a process that holds reservations
	id {text} PRIMARY KEY NOT NULL, until {int} NOT NULL);
CREATE TABLE ledger (
	service {text} NOT NULL, operation {text} NOT NULL, key {text} NOT NULL,
	id {text} NOT NULL, -- of the reservation
	fingerprint {text} NOT NULL, owner {text} NOT NULL, state {text} NOT NULL, since {int} NOT NULL,
	ended {int} NOT NULL, -- 0 while it is open or unknown
	decided_by {text} NOT NULL, reason {text} NOT NULL,
	kept {int} NOT NULL, size {int} NOT NULL, digest {text} NOT NULL, result {blob} NOT NULL,
	PRIMARY KEY (service, operation, key));
CREATE INDEX ledger_ended ON ledger (ended);
CREATE TABLE ask (
	id {text} PRIMARY KEY NOT NULL, token {text} NOT NULL, -- its SHA-256
	binding {text} NOT NULL, -- digest of the five that follow
	operation {text} NOT NULL, contract {text} NOT NULL, arguments {text} NOT NULL, caller {text} NOT NULL, session {text} NOT NULL,
	holder {int} NOT NULL, -- 1: whoever has the token may redeem it, nobody need decide
	shown {text} NOT NULL, -- '' once it is decided or expired
	asked {int} NOT NULL, expires {int} NOT NULL, state {text} NOT NULL, decided_by {text} NOT NULL, reason {text} NOT NULL, decided {int} NOT NULL,
	UNIQUE (token));
CREATE INDEX ask_expires ON ask (expires)`},
}

// room is what a database of ours holds.
func room() sqldb.Room {
	return sqldb.Room{
		Format: "anvil state", Migrations: migrations,
		Kinds:   sqldb.Kinds{Foreign: ErrForeign, Newer: ErrNewer, Full: ErrFull, ReadOnly: ErrReadOnly},
		Damaged: func(row string, err error) error { return &DamagedError{row, err} },
	}
}
