package exchange

import (
	"fmt"
	"math"
	"strconv"

	"anvil/compiler/canon"
	"anvil/learn"
)

// attributes are a span's or a resource's, by name; of one that is given twice the first counts.
type attributes map[string]*canon.Node

// attributesOf reads a list of {key, value}. A name that is given twice with other values is ambiguous.
func attributesOf(list *canon.Node) (attributes, error) {
	all := make(attributes, len(list.Elements()))
	for _, item := range list.Elements() {
		name, ok := item.Get("key").Str()
		value := item.Get("value")
		if !ok || !value.IsObject() {
			continue
		}
		if other, twice := all[name]; twice && !canon.Equal(other.Raw, value.Raw) {
			return nil, fmt.Errorf("attribute %s is given twice with other values", quoted(name))
		}
		all[name] = value
	}
	return all, nil
}

// first is the value of the first of the names that there is; nil if there is none.
func (a attributes) first(names []string) *canon.Node {
	for _, name := range names {
		if v := a[name]; v != nil {
			return v
		}
	}
	return nil
}

// text is an attribute as a name: a string, or a number as it is spelled, which some exporters write where the conventions have strings.
func (a attributes) text(names []string) string {
	v := a.first(names)
	if s, ok := v.Get("stringValue").Str(); ok {
		return learn.Storable(s)
	}
	if i, ok := whole(v.Get("intValue")); ok {
		return strconv.FormatInt(i, 10)
	}
	return ""
}

// integer is an attribute as a whole number; ok is false if it is absent or none.
func (a attributes) integer(names []string) (int64, bool) {
	v := a.first(names)
	if i, ok := whole(v.Get("intValue")); ok {
		return i, true
	}
	if i, ok := whole(v.Get("doubleValue")); ok {
		return i, true
	}
	return whole(v.Get("stringValue"))
}

// whole reads a 64-bit number, which the JSON mapping of protocol buffers writes as a string and reads in both ways.
func whole(n *canon.Node) (int64, bool) {
	if s, ok := n.Str(); ok {
		i, err := strconv.ParseInt(s, 10, 64)
		return i, err == nil
	}
	return n.Int()
}

// payload is an attribute as JSON text: a string that holds some, or a structure; nil if it is absent.
func (a attributes) payload(names []string) []byte {
	v := a.first(names)
	if v == nil {
		return nil
	}
	if s, ok := v.Get("stringValue").Str(); ok {
		return []byte(s)
	}
	return appendAny(nil, v, 0)
}

// maxAnyDepth is how deep a structured attribute is followed; what is deeper is null.
const maxAnyDepth = 64

// appendAny writes an AnyValue as the JSON value that it stands for.
func appendAny(b []byte, v *canon.Node, depth int) []byte {
	if depth > maxAnyDepth {
		return append(b, "null"...)
	}
	if !v.IsObject() {
		return append(b, "null"...)
	}
	for _, m := range v.Members {
		switch s, text := m.Value.Str(); m.Name {
		case "stringValue", "bytesValue":
			return canon.AppendQuote(b, s)
		case "boolValue":
			if yes, ok := m.Value.Bool(); ok {
				return strconv.AppendBool(b, yes)
			}
		case "intValue":
			if i, ok := whole(m.Value); ok {
				return strconv.AppendInt(b, i, 10)
			}
		case "doubleValue":
			if text {
				return canon.AppendQuote(b, s) // NaN and the infinities, which JSON does not have
			}
			return append(b, m.Value.Raw...)
		case "arrayValue":
			return appendItems(b, m.Value.Get("values"), depth)
		case "kvlistValue":
			return appendPairs(b, m.Value.Get("values"), depth)
		}
	}
	return append(b, "null"...)
}

func appendItems(b []byte, list *canon.Node, depth int) []byte {
	b = append(b, '[')
	for i, item := range list.Elements() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendAny(b, item, depth+1)
	}
	return append(b, ']')
}

func appendPairs(b []byte, list *canon.Node, depth int) []byte {
	b = append(b, '{')
	for i, item := range list.Elements() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canon.AppendQuote(b, item.Get("key").Text()), ':')
		b = appendAny(b, item.Get("value"), depth+1)
	}
	return append(b, '}')
}

// nanos reads a moment: nanoseconds since 1970 in 64 bits without a sign, of which the upper half lies behind the year 2262.
func nanos(n *canon.Node) (int64, error) {
	if n == nil {
		return 0, nil
	}
	i, ok := whole(n)
	if s, text := n.Str(); !ok && text {
		if u, err := strconv.ParseUint(s, 10, 64); err == nil && u > math.MaxInt64 {
			return 0, fmt.Errorf("it lies behind the year 2262")
		}
	}
	if !ok || i < 0 {
		return 0, fmt.Errorf("it is no number of nanoseconds since 1970")
	}
	return i, nil
}
