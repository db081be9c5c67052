package cli

import (
	"strconv"
	"strings"
	"time"

	cli "github.com/urfave/cli/v2"
)

// inDays is a whole number of days as window reads it.
func inDays(d time.Duration) string { return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d" }

// window reads a length of time as --events and --since have it: 30d, 12h, 90m; 0 is none. A day has 24 hours.
func window(flag, text string) (time.Duration, error) {
	const most = 100 * 365 * 24 * time.Hour
	bad := usagef("--%s needs a time with its unit, such as 30d or 12h, and %q is none", flag, text)
	var d time.Duration
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0) || n > most.Hours()/24 {
			return 0, bad
		}
		return time.Duration(n * float64(24*time.Hour)), nil
	}
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > most {
		return 0, bad
	}
	return d, nil
}

// since reads --since: a date, a moment, or how long ago. Without it, it is the zero time.
func (sh *shell) since(c *cli.Context) (time.Time, error) {
	text := c.String("since")
	if !c.IsSet("since") {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	ago, err := window("since", text)
	if err != nil {
		return time.Time{}, usagef("--since needs a date (2026-03-02), a moment (2026-03-02T08:00:00Z), or how long ago (7d, 12h), and %q is none", text)
	}
	return sh.now().Add(-ago), nil
}
