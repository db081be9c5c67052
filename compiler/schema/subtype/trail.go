package subtype

import "slices"

// trail is the literals that were asserted on the way to a branch.
type trail struct {
	steps []int
	set   map[int]bool // once there are many
}

const shortTrail = 24

func (t *trail) has(l literal) bool {
	if t.set != nil {
		return t.set[l.key()]
	}
	return slices.Contains(t.steps, l.key())
}

func (t *trail) add(l literal) {
	t.steps = append(t.steps, l.key())
	if t.set == nil && len(t.steps) > shortTrail {
		t.set = make(map[int]bool, 4*shortTrail)
		for _, key := range t.steps {
			t.set[key] = true
		}
	} else if t.set != nil {
		t.set[l.key()] = true
	}
}

// back takes back all but the first steps.
func (t *trail) back(first int) {
	for _, key := range t.steps[first:] {
		delete(t.set, key)
	}
	t.steps = t.steps[:first]
}
