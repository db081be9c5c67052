package diff

import "testing"

// TestGeneratedBounds leaves out beside a number that became an integer the bounds that generators write for any integer, and no others.
func TestGeneratedBounds(t *testing.T) {
	of := func(schema string) string { return toolWith(`{"type":"object","properties":{"n":` + schema + `}}`) }
	for bounds, told := range map[string]bool{
		`"minimum":-9007199254740991,"maximum":9007199254740991`: false,
		`"maximum":9007199254740991.0`:                           false,
		`"minimum":9007199254740991`:                             true,
		`"maximum":-9007199254740991`:                            true,
		`"maximum":90071992547409910`:                            true,
		`"maximum":9007199254740991.5`:                           true,
		`"exclusiveMaximum":9007199254740991`:                    true,
		`"multipleOf":9007199254740991`:                          true,
	} {
		findings := Judge(compared(capture(t, []byte(of(`{"type":"number"}`))), capture(t, []byte(of(`{"type":"integer",`+bounds+`}`)))))
		if got := len(findings) > 1; got != told {
			t.Errorf("%s: told %t, want %t\n%s", bounds, got, told, summary(findings))
		}
	}
}
