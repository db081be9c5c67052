package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestTour: the insight appears where calls fail and is withdrawn where they do not any more (assertion 43), and all of it is the same each time (assertion 47).
func TestTour(t *testing.T) {
	const golden = "testdata/tour.txt"
	var got bytes.Buffer
	if err := tour(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	healthy, rest, _ := strings.Cut(got.String(), "== flaky")
	flaky, fixed, _ := strings.Cut(rest, "== fixed")
	for _, part := range []struct{ name, text, holds string }{
		{"flaky", flaky, "new: shop/search observed_failure_rate = 0.3"}, {"fixed", fixed, "withdrawn: shop/search observed_failure_rate, which was 0.3"},
	} {
		if !strings.Contains(part.text, part.holds) {
			t.Errorf("the phase %s does not say %q", part.name, part.holds)
		}
	}
	if strings.Contains(healthy, "observed_failure_rate") {
		t.Error("a healthy tool is flagged")
	}
}
