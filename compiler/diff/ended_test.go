package diff

import (
	"sync/atomic"
	"testing"
)

// TestEndedComparesNoMore has nobody wait for the fourth of many tools: from there on none is compared.
func TestEndedComparesNoMore(t *testing.T) {
	tools := func(kind string) string {
		return `{"tools":[` + repeated(100, `{"name":"t#","description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"`+kind+`"}}}}`) + `]}`
	}
	old, now := capture(t, []byte(tools("string"))), capture(t, []byte(tools("integer")))
	var asked atomic.Int64
	d := Compare(old, now, Options{Ended: func() bool { return asked.Add(1) > 3 }})
	done := 0
	for _, p := range d.Lists[0].Changed {
		if len(p.Changes) > 0 {
			done++
		}
	}
	if done != 3 || asked.Load() != 100 {
		t.Errorf("%d of %d tools were compared, asked %d times", done, len(d.Lists[0].Changed), asked.Load())
	}
	if all := compared(old, now).Lists[0].Changed; len(all) != 100 || len(all[99].Changes) == 0 {
		t.Errorf("%d tools differ", len(all))
	}
}
