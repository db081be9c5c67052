package state

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

// BenchmarkReserveComplete is how many keyed writes a second are reserved and completed, by one caller and by 64 at the same time.
func BenchmarkReserveComplete(b *testing.B) {
	result := []byte(`{"content":[{"type":"text","text":"paid"}]}`)
	for name, where := range map[string]func(testing.TB) string{
		"sqlite":   func(t testing.TB) string { return t.TempDir() },
		"postgres": func(t testing.TB) string { return cluster.Database(t) },
	} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/%d callers", name, callers), func(b *testing.B) {
				s := opened(b, where(b), &clock{now: noon})
				var n atomic.Int64
				reserve(b, s, "first", "sha256:f")
				b.ReportAllocs()
				b.ResetTimer()
				b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
				one := func() {
					f, err := s.Reserve(b.Context(), keyOf(fmt.Sprint("key", n.Add(1))), "sha256:f")
					if err != nil || f.Standing != Reserved {
						b.Error(f, err)
						return
					}
					if err := s.Complete(b.Context(), f.Reservation, result); err != nil {
						b.Error(err)
					}
				}
				if callers == 1 {
					for b.Loop() {
						one()
					}
				} else {
					b.RunParallel(func(p *testing.PB) {
						for p.Next() {
							one()
						}
					})
				}
				b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "writes/s")
			})
		}
	}
}
