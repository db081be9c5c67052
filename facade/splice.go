package facade

import (
	"bytes"

	"anvil/compiler/canon"
)

// withMember returns an object in which the member at the end of a path of members has the given value; nothing else of its bytes is another. Members on the way that
// are missing, or no objects, are made. Where a member is given more than once each gets it, so that all readers find the same.
func withMember(object, value []byte, path ...string) []byte {
	if len(path) == 0 {
		return value
	}
	if len(object) == 0 || object[0] != '{' {
		object = []byte("{}")
	}
	if out, found := withEach(object, path[0], func(old []byte) []byte { return withMember(old, value, path[1:]...) }); found {
		return out
	}
	head := bytes.TrimRight(object[:bytes.LastIndexByte(object, '}')], " \t\r\n")
	out := bytes.Clone(head)
	if head[len(head)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(out, canon.Quote(path[0])...), ':')
	out = append(out, withMember(nil, value, path[1:]...)...)
	return append(out, object[len(head):]...)
}

// withEach returns an object in which every member of the name has the value that becomes makes of its own, and whether there is one.
func withEach(object []byte, member string, becomes func(value []byte) []byte) (out []byte, found bool) {
	done := 0
	eachMember(object, func(raw, value []byte) {
		if decodedName(raw) != member {
			return
		}
		found = true
		at := offsetOf(object, value)
		out = append(append(out, object[done:at]...), becomes(value)...)
		done = at + len(value)
	})
	return append(out, object[done:]...), found
}

// offsetOf is where part begins in whole, of which it is a slice.
func offsetOf(whole, part []byte) int { return cap(whole) - cap(part) }

// eachElement calls visit with the raw value of every element of array, which must be part of a frame that wire.Scan accepted.
func eachElement(array []byte, visit func(value []byte)) {
	for i := 1; ; i++ {
		i += leadingSpace(array[i:])
		if array[i] == ']' {
			return
		}
		end := skipValue(array, i)
		visit(array[i:end])
		if i = end + leadingSpace(array[end:]); array[i] == ']' {
			return
		}
	}
}

// withElements returns an array without the elements that drop tells, and with more behind the others, given as JSON without brackets; an array of which nothing is
// dropped keeps its bytes.
func withElements(array, more []byte, drop func(element []byte) bool) []byte {
	var kept [][]byte
	dropped := false
	eachElement(array, func(element []byte) {
		if drop(element) {
			dropped = true
		} else {
			kept = append(kept, element)
		}
	})
	head, tail := array[:len(array)-1], array[len(array)-1:]
	if dropped {
		head = append([]byte{'['}, bytes.Join(kept, []byte{','})...)
	}
	if len(more) == 0 {
		return append(bytes.Clone(head), tail...)
	}
	trimmed := bytes.TrimRight(head, " \t\r\n")
	out := bytes.Clone(trimmed)
	if len(kept) > 0 {
		out = append(out, ',')
	}
	return append(append(append(out, more...), head[len(trimmed):]...), tail...)
}
