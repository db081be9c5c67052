package subtype

import (
	"maps"
	"slices"

	"anvil/compiler/canon"
)

// pad adds members until there are enough: those that are mentioned first, then others.
func (o *members) pad() answer {
	if len(o.chosen) >= o.least {
		return o.assemble()
	}
	result := nothing
	for _, name := range o.known {
		if _, there := o.chosen[name]; there {
			continue
		}
		found := o.try(name, nil, o.pad)
		if result = result.or(found); result.met() {
			return result
		}
	}
	return result.or(o.fresh(nil, o.pad))
}

// assemble finds a value for each member.
func (o *members) assemble() answer {
	doubt := ""
	members := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(o.chosen)) {
		found := o.meet(o.chosen[name]...)
		if found.none() {
			return found
		}
		if found.doubt != "" {
			doubt = found.doubt
		}
		if found.value == nil {
			return answer{doubt: doubt, waits: free}
		}
		members[name] = found.value
	}
	if o.tooLarge(slices.Collect(maps.Values(members))) {
		return answer{doubt: StopValue, waits: free}
	}
	text := objectText(members)
	if o.isBarred(string(text)) {
		return o.otherwise(members)
	}
	return answer{value: text, doubt: doubt, waits: free}
}

func objectText(members map[string][]byte) []byte {
	var b canon.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b.Add(name, members[name])
	}
	return canon.MustCanonical(b.Bytes())
}

// otherwise changes an object that is barred, by one value or one more member.
func (o *members) otherwise(members map[string][]byte) answer {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		n, err := canon.Parse(members[name])
		if err != nil {
			continue
		}
		found := o.meet(append(slices.Clip(o.chosen[name]), o.ofValues(n).negated())...)
		if !found.met() {
			continue
		}
		changed := maps.Clone(members)
		changed[name] = found.value
		if text := objectText(changed); !o.isBarred(string(text)) {
			return answer{value: text, waits: free}
		}
	}
	if o.most == 0 {
		return nothing
	}
	if o.least = len(members) + 1; o.least > maxMembers || o.most >= 0 && o.least > o.most {
		return answer{doubt: "enum", waits: free}
	}
	if found := o.pad(); !found.none() {
		return found
	}
	return answer{doubt: "enum", waits: free}
}
