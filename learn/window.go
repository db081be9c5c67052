package learn

import "time"

// Window is the stretch of time that a cell covers: "all", or one hour of UTC, "hour:2026-03-02T08".
type Window string

// All is the window without an end.
const All Window = "all"

const hourLayout = "2006-01-02T15"

// HourOf returns the window of the hour in which at lies.
func HourOf(at time.Time) Window { return Window("hour:" + at.UTC().Format(hourLayout)) }

// Hour returns when the hour begins; false for a window that is none.
func (w Window) Hour() (time.Time, bool) {
	if len(w) < len("hour:") {
		return time.Time{}, false
	}
	t, err := time.Parse(hourLayout, string(w[len("hour:"):]))
	return t, err == nil && w == HourOf(t)
}
