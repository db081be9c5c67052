package stat

import "testing"

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 0.3: "30 %", 0.125: "12.5 %", 0.0434: "4.3 %", 0.04351: "4.4 %", 1: "100 %", -0.1: "-10 %", 2.5: "250 %"} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
