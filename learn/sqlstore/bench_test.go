package sqlstore

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
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
	measure := func(into *[]time.Duration, do func()) {
		runtime.GC() // what made the events is no part of it
		begin := time.Now()
		do()
		*into = append(*into, time.Since(begin))
	}
	for b.Loop() {
		list := calls(r, batch, 50)
		work := []func(){
			func() { measure(&kept, func() { keep(b, ours, list...) }) },
			func() { measure(&inserted, func() { insertBare(b, bare, list) }) },
		}
		if len(kept)%2 == 1 { // neither is always first
			slices.Reverse(work)
		}
		for _, do := range work {
			do()
		}
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

// insertBare is what a program does that only wants the rows in the table: one transaction, one prepared statement of several rows, in the form that the database
// runs fastest (SQLite keeps a journal of a plain statement of several rows).
func insertBare(b *testing.B, s *Store, list []learn.Event) {
	tx, err := s.writer.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	size := min(batch, s.dialect.chunk)
	head := s.dialect.adding[0] + " event (" + names(eventColumns) + ") " + s.dialect.source(eventColumns, size)
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

// BenchmarkObserve is what a call pays while events are written to a real store: at most 2 us and one allocation, whether there are ten tools or ten thousand.
// Assertion 60.
func BenchmarkObserve(b *testing.B) {
	for _, tools := range []int{10, 10_000} {
		b.Run(fmt.Sprint(tools, " tools"), func(b *testing.B) {
			s := opened(b, file(b))
			list := calls(rand.New(rand.NewPCG(3, 4)), 20_000, tools)
			recorder := learn.NewRecorder(s, learn.RecorderOptions{Queue: 1 << 20})
			arguments, result := []byte(`{"limit":5,"query":"x"}`), []byte(`{"content":[{"type":"text","text":"x"}]}`)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				recorder.Observe(learn.Observation{Event: list[i%len(list)], Arguments: arguments, Result: result})
				i++
			}
			b.StopTimer()
			if err := recorder.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
			counts := recorder.Counts()
			b.ReportMetric(float64(counts.Dropped)/float64(counts.Taken+counts.Dropped), "dropped")
		})
	}
}

// BenchmarkRecords is how fast 10,000 tools are read whose sketches hold 1,000,000 events; B/op over the tools is what one costs, whatever their number.
func BenchmarkRecords(b *testing.B) {
	s := opened(b, file(b))
	r := rand.New(rand.NewPCG(5, 6))
	const tools = 10_000
	for range 4 {
		list := calls(r, 25*tools, tools)
		for i := range list {
			list[i].At, list[i].Model = storetest.Morning.Add(time.Duration(r.Int64N(int64(time.Hour)))), ""
		}
		keep(b, s, list...)
	}
	b.ReportAllocs()
	for b.Loop() {
		n, events, most := 0, int64(0), uint64(0)
		var m runtime.MemStats
		for record, err := range s.Records(b.Context(), learn.Filter{Windows: learn.LatestWindows}) {
			if err != nil {
				b.Fatal(err)
			}
			events += record.Cell(learn.All, learn.Dimensions{}).Duration.Count()
			if n++; n%1000 == 0 {
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
		if n != tools || events != 100*tools {
			b.Fatal(n, events)
		}
		b.ReportMetric(float64(most)/1e6, "heap-MB")
	}
}
