package evaluate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

func tools(n, calls int) []learn.Record {
	var records []learn.Record
	for i := range n {
		records = append(records, watch(learn.Tool{Server: "s", Name: fmt.Sprintf("tool-%05d", i), Contract: "c"}).calls(calls, oneIn(2+i%7)).record)
	}
	return records
}

// TestAllJudgesEveryTool: in order, in batches that bound what is held, and a second pass without evidence writes nothing (assertion 47).
func TestAllJudgesEveryTool(t *testing.T) {
	s, now := &shelf{records: tools(1203, 12)}, morning.Add(time.Hour)
	p, err := All(t.Context(), s, now, Options{})
	if err != nil || p.Tools != 1203 || p.Written != 1203 || len(p.Changes) != MaxChanges || p.Changed != 2*1203 {
		t.Errorf("%v, %d tools, %d written, %d of %d changes", err, p.Tools, p.Written, len(p.Changes), p.Changed)
	}
	if s.furthest > batch {
		t.Errorf("%d records were held at once", s.furthest)
	}
	var names, want []string
	for i, c := range s.written {
		names, want = append(names, c.Tool.Name), append(want, s.records[i].Tool.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	s.written = nil
	if p, err := All(t.Context(), s, now.Add(time.Hour), Options{}); err != nil || p.Tools != 1203 || p.Written != 0 || s.written != nil {
		t.Errorf("the second pass: %v, %+v", err, p)
	}
}

func TestTouchedJudgesThoseAlone(t *testing.T) {
	s := &shelf{records: append(tools(20, 12), learn.Record{Tool: learn.Tool{Server: "s", Name: "tool-00003", Contract: "d"}})}
	unattributed := learn.Tool{Name: "tool-00007"}
	p, err := Touched(t.Context(), s, []learn.Tool{s.records[3].Tool, s.records[1].Tool, s.records[3].Tool, unattributed, {Server: "s", Name: "none"}}, morning.Add(time.Hour), Options{})
	if err != nil || p.Tools != 2 || len(s.written) != 2 || s.written[0].Tool != s.records[1].Tool || s.written[1].Tool != s.records[3].Tool {
		t.Errorf("%v, %+v", err, p)
	}
}

func TestAllStopsWhereAStoreFails(t *testing.T) {
	s := &shelf{records: tools(600, 12), fails: true}
	if p, err := All(t.Context(), s, morning.Add(time.Hour), Options{}); err == nil || p.Written != 500 {
		t.Errorf("%v, %+v", err, p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := All(ctx, &shelf{records: tools(10, 12)}, morning, Options{}); !errors.Is(err, context.Canceled) || p.Written != 0 {
		t.Errorf("%v, %+v", err, p)
	}
}

// BenchmarkAll judges 10,000 tools of 100 calls each, a million events' sketches, made of 50 records beforehand: what it costs to judge and to hand over, without a store's reading.
func BenchmarkAll(b *testing.B) {
	var kinds []learn.Record
	for i := range 50 {
		kinds = append(kinds, watch(vault).calls(100, oneIn(2+i%9), took(time.Duration(50+i)*time.Millisecond), spent("0.01", "USD"), from(fmt.Sprintf("c%d", i%2))).record)
	}
	made := func(i int) learn.Record {
		r := kinds[i%len(kinds)]
		r.Tool.Name = fmt.Sprintf("tool-%05d", i)
		return r
	}
	b.ReportAllocs()
	var peak uint64
	for b.Loop() {
		s := &shelf{n: 10_000, made: made}
		if p, err := All(b.Context(), s, morning.Add(time.Hour), Options{}); err != nil || p.Tools != 10_000 {
			b.Fatal(err, p)
		}
		s.written = nil
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	}
	b.ReportMetric(float64(peak)/(1<<20), "MiB-heap")
}
