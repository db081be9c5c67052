package sqlstore

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"anvil/learn"
	"anvil/learn/storetest"
)

// calls are n events of 50 tools as a facade sees them.
func calls(r *rand.Rand, n, tools int) []learn.Event {
	list := make([]learn.Event, 0, n)
	for i := range n {
		var id [16]byte
		for b := range id {
			id[b] = byte(r.Uint32())
		}
		h := hex.EncodeToString(id[:])
		tool := i % tools
		e := learn.Event{ID: h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], Session: fmt.Sprint("session-", r.IntN(100)),
			Tool: learn.Tool{Server: fmt.Sprint("server-", tool%5), Name: fmt.Sprint("tool-", tool), Contract: "sha256:contract"},
			At:   storetest.Morning.Add(time.Duration(i) * 10 * time.Millisecond), Duration: time.Duration(r.ExpFloat64() * 2e8), Outcome: learn.Succeeded, Attempts: 1,
			Model: fmt.Sprint("model-", r.IntN(3)), Cost: &learn.Money{Micros: r.Int64N(5000), Currency: "USD"}, Tokens: &learn.Tokens{Input: 100, Output: 50},
			Input:  learn.Payload{Bytes: 80, Digest: h, Shape: `{"limit":number,"query":string}`},
			Output: learn.Payload{Bytes: r.Int64N(4000), Digest: h, Shape: `{"content":[{"text":string,"type":string}]}`}}
		if r.IntN(20) == 0 {
			e.Outcome, e.Code = learn.Failed, "ETIMEDOUT"
		}
		list = append(list, e)
	}
	return list
}

// BenchmarkRecord is how fast events are kept and folded, against the driver's bare insert of the same rows into the same table, batch by batch in one run. The
// target is 0.8 of that.
func BenchmarkRecord(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkRecord(b, func() string { return file(b) }) })
	b.Run("postgres", func(b *testing.B) { benchmarkRecord(b, func() string { return database(b) }) })
}

const batch = 8192

func benchmarkRecord(b *testing.B, url func() string) {
	ours, bare := opened(b, url()), opened(b, url())
	r := rand.New(rand.NewPCG(1, 2))
	var kept, inserted []time.Duration
	for b.Loop() {
		list := calls(r, batch, 50)
		begin := time.Now()
		if done, err := ours.Record(b.Context(), list); err != nil || done.Kept != batch {
			b.Fatal(done, err)
		}
		kept = append(kept, time.Since(begin))
		begin = time.Now()
		insertBare(b, bare, list)
		inserted = append(inserted, time.Since(begin))
	}
	// What is written first is in an empty table, and the machine has others; the median tells of neither.
	a, c := median(kept), median(inserted)
	b.ReportMetric(batch/a.Seconds(), "events/s")
	b.ReportMetric(batch/c.Seconds(), "bare-events/s")
	b.ReportMetric(c.Seconds()/a.Seconds(), "of-bare")
	b.ReportMetric(0, "ns/op")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// insertBare is what a program does that only wants the rows in the table: one transaction, one prepared statement of several rows.
func insertBare(b *testing.B, s *Store, list []learn.Event) {
	tx, err := s.writer.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	size := min(batch, s.dialect.chunk)
	head := "INSERT INTO event (" + names(eventColumns) + ") " + s.dialect.source(eventColumns, size)
	var statement *sql.Stmt
	if s.dialect.keep {
		if statement, err = tx.PrepareContext(b.Context(), head); err != nil {
			b.Fatal(err)
		}
	}
	for chunk := range slices.Chunk(list, size) {
		r := &rows{columns: eventColumns, values: make([]any, 0, size*len(eventColumns))}
		for i := range chunk {
			addEvent(r, &chunk[i], 1)
		}
		args := s.dialect.pack(r, 0, len(chunk))
		if statement != nil {
			_, err = statement.ExecContext(b.Context(), args...)
		} else {
			_, err = tx.ExecContext(b.Context(), head, args...)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}
