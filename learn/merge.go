package learn

import "slices"

// Merged is what several stores know of one tool, summed: each counts, whichever is first. Of two annotations what the first states holds, but for the risk, which is the
// higher. What was concluded in one of them does not hold for all, so it is left out: evaluate the result.
func Merged(records ...Record) Record {
	if len(records) == 0 {
		return Record{}
	}
	all := Record{Tool: records[0].Tool}
	for _, r := range records {
		all.Annotation, _ = all.Annotation.Joined(r.Annotation)
		if r.Updated.After(all.Updated) {
			all.Updated = r.Updated
		}
		for _, c := range r.Cells {
			all.count(c)
		}
	}
	slices.SortFunc(all.Cells, compareCells)
	return all
}

func (r *Record) count(c Cell) {
	for i, have := range r.Cells {
		if have.Window == c.Window && have.Dims == c.Dims {
			r.Cells[i].Merge(c)
			return
		}
	}
	fresh := Cell{Window: c.Window, Dims: c.Dims}
	fresh.Merge(c)
	r.Cells = append(r.Cells, fresh)
}

func compareCells(a, b Cell) int {
	if a.Window != b.Window {
		if a.Window < b.Window {
			return -1
		}
		return 1
	}
	return a.Dims.Compare(b.Dims)
}

// risks lists the risks that people state, from harmless on.
var risks = []string{"low", "medium", "high"}

func higher(a, b string) string {
	if slices.Index(risks, a) >= slices.Index(risks, b) {
		return a
	}
	return b
}
