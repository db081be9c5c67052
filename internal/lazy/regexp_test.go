package lazy

import (
	"regexp"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRegexp holds each method to that of regexp, from several goroutines at once.
func TestRegexp(t *testing.T) {
	const text, pattern = "a1b22c", `([a-z])(\d+)`
	want, got := regexp.MustCompile(pattern), MustCompile(pattern)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, pair := range [][2]any{
				{want.MatchString(text), got.MatchString(text)}, {want.MatchString("x"), got.MatchString("x")},
				{want.FindString(text), got.FindString(text)},
				{want.FindStringSubmatch(text), got.FindStringSubmatch(text)},
				{want.FindAllStringSubmatch(text, -1), got.FindAllStringSubmatch(text, -1)},
				{want.FindAllStringIndex(text, -1), got.FindAllStringIndex(text, -1)},
				{want.FindAllStringSubmatchIndex(text, -1), got.FindAllStringSubmatchIndex(text, -1)},
				{want.ReplaceAllString(text, "<$1>"), got.ReplaceAllString(text, "<$1>")}, {want.Split(text, -1), got.Split(text, -1)},
			} {
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestBadPatternIsFoundAtOnce(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a pattern that does not compile is taken")
		}
	}()
	MustCompile("(")
}

// TestNothingIsCompiledAhead holds what the package is for.
func TestNothingIsCompiledAhead(t *testing.T) {
	inTests = false
	defer func() { inTests = true }()
	r := MustCompile("(")
	defer func() {
		if recover() == nil {
			t.Error("a pattern that does not compile is used")
		}
	}()
	r.MatchString("")
}
