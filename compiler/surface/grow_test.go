package surface

import (
	"slices"
	"testing"

	"anvil/compiler/canon"
)

// TestEveryObjectGrown gives each object of each item a member that nobody knows, by itself. Exactly the digests that such a member counts in move.
func TestEveryObjectGrown(t *testing.T) {
	real := refunds(t)
	base := snapshot(t, real)
	grown, one := 0, parse(t, []byte("1"))
	for _, kind := range Kinds {
		for i, raw := range real.Lists[kind] {
			item := parse(t, raw)
			nodes(item, func(place []string, object *canon.Node) {
				if !object.IsObject() {
					return
				}
				more := append([]byte(`{"x-new":1,`), object.Raw[1:]...)
				if len(object.Members) == 0 {
					more = []byte(`{"x-new":1}`)
				}
				c := fork(real)
				c.Lists[kind][i] = []byte(replaceLeaf(item, object, string(more)))
				if got, want := moved(base, snapshot(t, c)), countsIn(kind, append(slices.Clone(place), "x-new"), one); got != want {
					t.Errorf("%s %d %s: moved %q, want %q", kind, i, canon.Pointer(place...), got, want)
				}
				grown++
			})
		}
	}
	if grown < 80 {
		t.Errorf("only %d objects", grown)
	}
}
