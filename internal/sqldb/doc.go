// Package sqldb opens a database for a room that keeps something in SQL: SQLite for one machine, PostgreSQL for several. It makes the room's schema and brings it
// up to date, runs its transactions, and gives what a driver says the errors that the room decides by.
//
// Where it stands: below learn/sqlstore and facade/state, each of which has a database of its own. It knows no table but the two of its bookkeeping.
//
// It must not know what is kept. No other package imports a database driver.
package sqldb
