package facade

import (
	"slices"
	"sync"
	"time"
)

// deadlines are when the tries that are under way are given up. One timer serves all of them: nearly every try is over long before, so that nothing is set or
// stopped for it.
type deadlines struct {
	mu    sync.Mutex
	open  []*attempt
	timer *time.Timer
	next  time.Time // when the timer fires; zero: it does not
}

// set gives the try of an attempt so long from now.
func (d *deadlines) set(a *attempt, most time.Duration) {
	due := time.Now().Add(most)
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.due.IsZero() {
		a.place = len(d.open)
		d.open = append(d.open, a)
	}
	a.due = due
	if d.next.IsZero() || due.Before(d.next) {
		d.arm(due)
	}
}

func (d *deadlines) arm(at time.Time) {
	d.next = at
	switch wait := time.Until(at); {
	case at.IsZero():
	case d.timer == nil:
		d.timer = time.AfterFunc(wait, d.fire)
	default:
		d.timer.Reset(wait)
	}
}

// drop forgets an attempt.
func (d *deadlines) drop(a *attempt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.due.IsZero() {
		return
	}
	last := d.open[len(d.open)-1]
	d.open[a.place], last.place = last, a.place
	d.open[len(d.open)-1] = nil
	d.open, a.due = d.open[:len(d.open)-1], time.Time{}
}

// fire gives up what is due. Each in a goroutine of its own: to tell the upstream may take time.
func (d *deadlines) fire() {
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	var next time.Time
	for _, a := range slices.Clone(d.open) {
		switch {
		case !a.due.After(now):
			go a.late()
			// It stays until the attempt says so, and is looked at no more.
			a.due = now.Add(time.Hour)
		case next.IsZero() || a.due.Before(next):
			next = a.due
		}
	}
	d.arm(next)
}

// stop stops the timer, once no try is under way any more.
func (d *deadlines) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
}
