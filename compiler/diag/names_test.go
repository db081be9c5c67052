package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShortName(t *testing.T) {
	whole := strings.Repeat("é", MaxName)
	if got := ShortName(whole); got != whole {
		t.Errorf("a name that fits becomes %q", got)
	}
	one, two := ShortName(whole+"a"), ShortName(whole+"b")
	if one == two || utf8.RuneCountInString(one) != MaxName || !strings.HasPrefix(one, "éé") || ShortName(one) != one {
		t.Errorf("got %q and %q", one, two)
	}
}
