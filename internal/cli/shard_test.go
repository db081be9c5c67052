package cli

import (
	"fmt"
	"slices"
	"testing"
)

// TestShards divides any number of servers into any number of parts: each server is in one, no part has two more than another, and the order in which
// the servers are configured does not matter.
func TestShards(t *testing.T) {
	for servers := range 12 {
		var names, turned []string
		for i := range servers {
			names = append(names, fmt.Sprintf("s%02d", i))
		}
		for _, name := range names {
			turned = slices.Insert(turned, 0, name)
		}
		for of := 1; of <= 14; of++ {
			var all []string
			least, most := servers, 0
			for part := 1; part <= of; part++ {
				mine := shard{part, of}.among(names)
				if !slices.Equal(mine, shard{part, of}.among(turned)) {
					t.Errorf("shard %d/%d depends on the order", part, of)
				}
				all, least, most = append(all, mine...), min(least, len(mine)), max(most, len(mine))
			}
			slices.Sort(all)
			if !slices.Equal(all, names) || most-least > 1 {
				t.Errorf("%d servers in %d shards: %v, of %d to %d", servers, of, all, least, most)
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]bool{"1/1": true, "2/3": true, "12/12": true, "": false, "/": false, "1": false, "0/1": false, "2/1": false, "1/": false,
		"/2": false, "+1/2": false, " 1/2": false, "1/2 ": false, "01/2": false, "1/2/3": false, "-1/-1": false, "1/99999999999999999999": false} {
		if _, ok := parseShard(text); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}
