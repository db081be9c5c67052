package diag

import "testing"

func TestPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"ada": true, "Ada L.": true, "Zoë": true, "a@x": true, "": false, " ada": false, "ada ": false, "a\u202eb": false, "a\nb": false, "a\u200bb": false, "a\u00a0b": false, "::add::": false, "-": false,
	} {
		if Plain(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
