package surface_test

import (
	"bytes"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// TestCorpusSurvives captures every real surface, writes and reads its file, and finds every member of every item again.
func TestCorpusSurvives(t *testing.T) {
	tools := 0
	for _, name := range corpus.Names(t) {
		c, _ := corpus.Read(t, name)
		s, err := surface.New(c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, err := s.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := surface.Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, err := back.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s: file is not stable (%v)", name, err)
		}
		for _, kind := range surface.Kinds {
			if got, want := len(back.Items[kind]), len(c.Lists[kind]); got != want {
				t.Errorf("%s: %d of %d %s", name, got, want, kind.List())
			}
			for _, raw := range c.Lists[kind] {
				if !holds(back, kind, canon.MustCanonical(raw)) {
					t.Errorf("%s: %s changed on the way: %.120s", name, kind, raw)
				}
			}
		}
		tools += len(back.Tools())
	}
	t.Logf("%d tools kept whole", tools)
	if tools < 2000 {
		t.Errorf("only %d tools seen", tools)
	}
}

func holds(s *surface.McpSurfaceSnapshot, kind surface.Kind, text []byte) bool {
	for _, it := range s.Items[kind] {
		if bytes.Equal(it.JSON, text) {
			return true
		}
	}
	return false
}
