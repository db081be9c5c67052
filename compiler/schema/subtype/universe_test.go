package subtype_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// small is a small value, as the validator takes it.
type small struct {
	text  string
	value any
}

// universe are all small values of a few forms: what a search misses, it mostly misses in small.
var universe = sync.OnceValue(func() []small {
	scalars := []string{"null", "true", "false", "0", "1", "2", "3", "-1", "0.5", "10", `""`, `"a"`, `"b"`, `"ab"`, `"c"`, `"aaaa"`, `"a1"`, `"x"`}
	values := slices.Concat(scalars, []string{"[]", "{}", "[1]", `{"a":1}`})
	few, fewer, names := []string{"null", "1", "2", `"a"`, `"ab"`, "[]", "{}"}, []string{"null", "1", `"a"`}, []string{"a", "b", "c", "ab", "", "aab", "zz"}
	all := slices.Clone(values)
	for _, v := range values {
		all = append(all, "["+v+"]")
		for _, name := range names {
			all = append(all, fmt.Sprintf("{%q:%s}", name, v))
		}
	}
	for _, items := range slices.Concat(tuples(2, few), tuples(3, fewer), tuples(4, fewer[1:])) {
		all = append(all, "["+strings.Join(items, ",")+"]")
	}
	for i, a := range names {
		for j, b := range names[i+1:] {
			for _, v := range tuples(2, fewer) {
				all = append(all, fmt.Sprintf("{%q:%s,%q:%s}", a, v[0], b, v[1]))
			}
			for _, c := range names[i+j+2:] {
				all = append(all, fmt.Sprintf(`{%q:1,%q:"a",%q:null}`, a, b, c))
			}
		}
		for _, v := range []string{`{"a":1}`, `{"b":"a"}`, `{"zz":null}`, `["a"]`, `[1,1]`, `[1,null]`, `{"a":1,"b":2}`} {
			all = append(all, fmt.Sprintf("{%q:%s}", a, v), fmt.Sprintf("[%s,{%q:%s}]", v, a, v), "["+v+"]")
		}
	}
	slices.Sort(all)
	var known []small
	for _, text := range slices.Compact(all) {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			panic(err)
		}
		known = append(known, small{text, v})
	}
	return known
})

// tuples are all lists of n of the values.
func tuples(n int, values []string) [][]string {
	if n == 0 {
		return [][]string{nil}
	}
	var all [][]string
	for _, rest := range tuples(n-1, values) {
		for _, v := range values {
			all = append(all, append(slices.Clone(rest), v))
		}
	}
	return all
}
