package learn

// Latest keeps of each tool of a server what is of the contract that was called last, by compare; of equals the first. What is kept keeps its order.
func Latest[T any](all []T, of func(T) Tool, compare func(a, b T) int) []T {
	at := map[Tool]int{}
	var kept []T
	for _, v := range all {
		key := of(v)
		key.Contract = ""
		i, there := at[key]
		switch {
		case !there:
			at[key] = len(kept)
			kept = append(kept, v)
		case compare(v, kept[i]) > 0:
			kept[i] = v
		}
	}
	return kept
}
