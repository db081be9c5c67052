package subtype

import (
	"slices"

	"anvil/compiler/canon"
)

// capped decides for each count that has a limit whether the items from at on are among those counted; taken are already.
func (it *items) capped(list []item, count, at, taken int) answer {
	for count < len(it.counts) && it.counts[count].most < 0 {
		count++
	}
	if it.spend(2) {
		return answer{doubt: StopSteps, waits: free}
	}
	switch {
	case count == len(it.counts):
		return it.assemble(list)
	case at == len(list):
		return it.capped(list, count+1, 0, 0)
	}
	counted := it.counts[count]
	old := list[at].asked
	result := nothing
	for one, l := range []literal{counted.kids[0].negated(), counted.kids[0]} {
		more := taken + one
		list[at].asked = append(slices.Clip(old), l)
		found := nothing
		if more <= counted.most {
			if found = it.meet(list[at].asked...); !found.none() {
				found = it.capped(list, count, at+1, more)
			}
		}
		list[at].asked = old
		if result = result.or(found); result.met() {
			return result
		}
	}
	return result
}

// assemble finds a value for each item.
func (it *items) assemble(list []item) answer {
	values := make([][]byte, len(list))
	doubt := ""
	for at := range list {
		if it.spend(1) {
			return answer{doubt: StopSteps, waits: free}
		}
		asked := list[at].asked
		if s := list[at].slot; s > 0 {
			it.spend(len(list) / bytesPerStep)
			for before := range at { // equal items
				if list[before].slot == s {
					asked = append(slices.Clip(asked), list[before].asked...)
				}
			}
			for after := at + 1; after < len(list); after++ {
				if list[after].slot == s {
					asked = append(slices.Clip(asked), list[after].asked...)
				}
			}
		}
		found := it.meet(asked...)
		if found.none() {
			return found
		}
		if found.doubt != "" {
			doubt = found.doubt
		}
		if values[at] = found.value; found.value == nil {
			return answer{doubt: doubt, waits: free}
		}
	}
	if it.unique {
		return it.different(list, values, doubt)
	}
	return it.joined(values, doubt)
}

// different makes the items of an array differ, one after the other.
func (it *items) different(list []item, values [][]byte, doubt string) answer {
	var before []*canon.Node
	taken := make(map[string]bool, len(values))
	for at := range values {
		if at > 0 {
			if n, err := canon.Parse(values[at-1]); err == nil {
				before = append(before, n)
			}
			taken[string(values[at-1])] = true
		}
		if !taken[string(values[at])] {
			continue
		}
		found := it.meet(append(slices.Clip(list[at].asked), it.ofValues(before...).negated())...)
		if found.none() {
			if found.waits == free && it.alike(list[:at+1]) {
				return nothing // all values there are, are taken
			}
			return answer{doubt: "uniqueItems", waits: free}
		}
		if found.doubt != "" {
			doubt = found.doubt
		}
		if values[at] = found.value; found.value == nil {
			return answer{doubt: doubt, waits: free}
		}
	}
	return it.joined(values, doubt)
}

// alike reports items of which all are asked the same.
func (it *items) alike(list []item) bool {
	var first string
	for i, x := range list {
		sorted, _ := distinct(slices.Clone(x.asked))
		if key := keyOf(sorted); i == 0 {
			first = key
		} else if key != first {
			return false
		}
	}
	return true
}

// joined makes the array, unless it is barred.
func (it *items) joined(values [][]byte, doubt string) answer {
	if it.tooLarge(values) {
		return answer{doubt: StopValue, waits: free}
	}
	text := canon.List(values...)
	if !it.isBarred(string(text)) {
		return answer{value: text, doubt: doubt, waits: free}
	}
	return it.longer(values)
}

// longer adds an item to an array that is barred, or gives up.
func (it *items) longer(values [][]byte) answer {
	for range 3 {
		if it.most >= 0 && len(values) >= it.most || len(values) >= maxItems {
			break
		}
		asked := it.askedAt(len(values))
		for _, c := range it.counts {
			if c.most >= 0 {
				asked = append(asked, c.kids[0].negated())
			}
		}
		if it.unique {
			for _, v := range values {
				if n, err := canon.Parse(v); err == nil {
					asked = append(asked, it.ofValues(n).negated())
				}
			}
		}
		found := it.meet(asked...)
		if !found.met() {
			break
		}
		values = append(slices.Clip(values), found.value)
		if text := canon.List(values...); !it.isBarred(string(text)) {
			return answer{value: text, waits: free}
		}
	}
	return it.otherwise(values)
}

// otherwise changes one item of an array that is barred. That none can be changed is a proof only of the empty array that may not grow.
func (it *items) otherwise(values [][]byte) answer {
	for at := range values {
		n, err := canon.Parse(values[at])
		if err != nil || it.unique || len(it.counts) > 0 || len(it.slots) > 0 {
			break
		}
		if found := it.meet(append(it.askedAt(at), it.ofValues(n).negated())...); found.met() {
			changed := slices.Clone(values)
			changed[at] = found.value
			if text := canon.List(changed...); !it.isBarred(string(text)) {
				return answer{value: text, waits: free}
			}
		}
	}
	if it.most == 0 {
		return nothing
	}
	return answer{doubt: "enum", waits: free}
}
