package facade

import (
	"bytes"
	"sync"
)

// givenTwice finds a member that an object anywhere in value gives twice, and returns its name. Readers do not agree on which of two counts, so nothing that
// is decided on the one would hold for the other. value must be part of a frame that wire.Scan accepted.
func givenTwice(value []byte) (name string, twice bool) {
	if len(value) < len(`{"":0,"":0}`) {
		return "", false
	}
	n := nestings.Get().(*nesting)
	defer func() {
		clear(n.names[:cap(n.names)]) // they are parts of the frame
		n.names, n.objects = n.names[:0], n.objects[:0]
		nestings.Put(n)
	}()
	return n.find(value)
}

var nestings = sync.Pool{New: func() any { return &nesting{} }}

// nesting is the members of the objects around a place in a text.
type nesting struct {
	names   [][]byte // of all of them, without escapes
	objects []object
}

// object is one of them. An array is one without members.
type object struct {
	first int                 // of its names
	many  map[string]struct{} // its names, once there are so many that looking at each takes long
}

// fewNames is up to how many names of an object are compared one by one.
const fewNames = 32

func (n *nesting) find(b []byte) (string, bool) {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			n.objects = append(n.objects, object{first: len(n.names)})
		case '}', ']':
			last := n.objects[len(n.objects)-1]
			n.names, n.objects = n.names[:last.first], n.objects[:len(n.objects)-1]
		case '"':
			end := stringEnd(b, i)
			next := end + 1 + leadingSpace(b[end+1:])
			if next < len(b) && b[next] == ':' && n.add(plain(b[i:end+1])) {
				return string(n.names[len(n.names)-1]), true
			}
			i = end
		}
	}
	return "", false
}

// plain is the text of a raw name; one without escapes is not copied.
func plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	return []byte(decodedName(raw))
}

// add adds a name to the innermost object; it reports true when that has it already.
func (n *nesting) add(name []byte) bool {
	in := &n.objects[len(n.objects)-1]
	before := n.names[in.first:]
	n.names = append(n.names, name)
	switch {
	case in.many != nil:
		_, twice := in.many[string(name)]
		in.many[string(name)] = struct{}{}
		return twice
	case len(before) == fewNames:
		in.many = make(map[string]struct{}, 2*fewNames)
		for _, each := range before {
			in.many[string(each)] = struct{}{}
		}
		_, twice := in.many[string(name)]
		in.many[string(name)] = struct{}{}
		return twice
	}
	for _, each := range before {
		if bytes.Equal(each, name) {
			return true
		}
	}
	return false
}
