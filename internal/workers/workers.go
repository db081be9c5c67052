// Package workers has one thing done many times side by side, on as many processors as there are.
//
// It stands before everything. It bounds how much runs at once; the order in which things are done is nobody's.
package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1 and returns when all calls have. Calls run at the same time, so do must not touch what another call touches. A call that
// panics makes Each panic, once the others have returned, so that whoever called it can recover.
func Each(n int, do func(i int)) {
	if n < 2 || runtime.GOMAXPROCS(0) < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var running sync.WaitGroup
	var fault atomic.Pointer[any]
	for range min(n, runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					fault.CompareAndSwap(nil, &v)
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	running.Wait()
	if v := fault.Load(); v != nil {
		panic(*v)
	}
}
