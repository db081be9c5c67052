package gate

import "testing"

// TestNamesThatLookAlike holds pairs of names of which one is taken for the other, or reads as a word of another alphabet.
func TestNamesThatLookAlike(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"get_invoice", "get_inv0ice", 1}, {"tool", "t00l", 1}, {"TOOL", "T00L", 1}, {"search", "сору", 1},
		{"поиск", "сору", 0}, {"search", "поиск", 0}, {"page_0", "page_1", 0},
	} {
		document := `{"tools":[{"name":"` + tt.a + `"},{"name":"` + tt.b + `"}]}`
		if found := checkConfusableName(newSurvey(surfaceOf(t, document), Options{})); len(found) != tt.want {
			t.Errorf("%s and %s: %+v", tt.a, tt.b, found)
		}
	}
}
