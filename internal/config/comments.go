package config

import "bytes"

// blankComments returns JSON text with its comments and trailing commas turned into blanks, so that every byte keeps its
// line. Editors write such files and call them JSON.
func blankComments(src []byte) []byte {
	out := bytes.Clone(src)
	comma := -1 // a comma with nothing but blanks and comments behind it so far
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i)
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			blank(out[i:end])
			i = end - 1
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// stringEnd returns the offset of the quote that ends the string at src[i], or of the last byte.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src) && src[i] != '"'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return min(i, len(src)-1)
}

// commentEnd returns the offset behind the comment at src[i].
func commentEnd(src []byte, i int) int {
	closing, extra := []byte("\n"), 0
	if src[i+1] == '*' {
		closing, extra = []byte("*/"), 2
	}
	if n := bytes.Index(src[i+2:], closing); n >= 0 {
		return i + 2 + n + extra
	}
	return len(src)
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
