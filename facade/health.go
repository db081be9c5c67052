package facade

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// troubleLasts is how long a facade is not ready after its upstream was in trouble: who then sends it nothing could never see it recover.
const troubleLasts = 30 * time.Second

// health is what is known of the upstream. The zero value knows of no trouble.
type health struct{ trouble atomic.Pointer[trouble] }

type trouble struct {
	at   time.Time
	text string
}

// failed notes that the upstream could not be reached, or was lost.
func (h *health) failed(at time.Time, text string) { h.trouble.Store(&trouble{at, text}) }

// reached notes that it answered.
func (h *health) reached() {
	if h.trouble.Load() != nil {
		h.trouble.Store(nil)
	}
}

// Ready says why calls would come to nothing now; nil where nothing is known against it. The upstream is not asked: what counts is how it did last, and trouble for
// 30 seconds at most.
func (f *Facade) Ready() error {
	if f.ctx.Err() != nil {
		return ErrClosed
	}
	if f.options.Audit != nil && !f.options.Serving.Audit.Waived && f.options.Audit.Err() != nil {
		return errors.New("the audit log can be written no more; calls are refused")
	}
	if t := f.health.trouble.Load(); t != nil && f.now().Sub(t.at) < troubleLasts {
		return fmt.Errorf("the upstream is in trouble: %s", t.text)
	}
	return nil
}
