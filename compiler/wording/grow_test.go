package wording

import (
	"strings"
	"testing"
	"time"
)

// hostile are texts that make a search start over at every step, unless it is bounded.
var hostile = []string{
	"ignore ", "ignore previous your ", "dont tell the a ", "~/.ssh", "://", "http://a.b", "use the a native webfetch ", "<!--", "<!-- a b c ",
	"eyJ ", "eyJaaaaaaaa.", "sk-aaaa ", "-----BEGIN ", "-----BEGIN A PRIV" + "ATE KEY-----\n", "token=", "api_key: a1", "a_a_a_a_", "\u200b", "\u0301",
	"\u200d\U000E0041", "\x1b[1", "\x1b]", "🏴", "ﷺ", "漢", "a.b. ", "'", "\xff", ".env", "A1b+", "漢\ufe00", "م\u200c", "☀\ufe0f", "i_g_", "a b ", "a@x.io ", "![](http://a.b?", "<img ", "<user>", "human:a\n", ".env/", "send .env ", "ignoreall",
	"忽略", "ignore\n\n", "dGVsbCBu", "[system", "user:pass@", "a://b:c@",
}

// TestTimeIsLinear holds the time for eight times a text against eight times the time for it, generously: what is quadratic takes 64 times as
// long whenever it is tried, and other work on the machine does not disturb every one of the attempts.
func TestTimeIsLinear(t *testing.T) {
	measure := func(text string) time.Duration {
		start := time.Now()
		FindHidden(text)
		Cues(text, testHome)
		Secrets(text)
		return time.Since(start)
	}
	for _, unit := range hostile {
		small := strings.Repeat(unit, 16<<10/len(unit))
		large := strings.Repeat(small, 8)
		var tried []time.Duration
		for linear := false; !linear; {
			one, eight := measure(small), measure(large)
			tried = append(tried, one, eight)
			linear = eight < 30*one+10*time.Millisecond
			if len(tried) > 20 && !linear {
				t.Errorf("%q, eight times as much by turns: %v", unit, tried)
				break
			}
		}
	}
}
