// Package yaml turns JSON into YAML that people can read and review, and YAML that people wrote into JSON, without loss:
// numbers keep their spelling, members their order, strings every character.
//
// It stands beside canon: whoever reads or writes YAML goes through here, and the rest of anvil sees JSON only. It is the
// one package that imports a YAML library, and uses it to read only. It must not decode into Go types, where numbers
// would be rounded, and it does no I/O.
//
// What is read is the JSON-compatible subset of YAML 1.2. Anything that two readers could take for two different values
// is refused with its line rather than guessed: duplicate keys, keys that are not strings, anchors and aliases (which can
// also blow up in size), merge keys, tags, and numbers that JSON cannot spell. Plain yes, no, on, off and dates are
// strings, as YAML 1.2 has it.
//
// JSON allows one kind of string that YAML cannot hold, with half a surrogate pair. It is written with the tag !json as
// the JSON literal itself, and read back so. Duplicate names and invalid UTF-8 have no YAML form and are errors.
package yaml

import (
	"fmt"
	"strings"
)

// Error is a refusal with its place in the source.
type Error struct {
	Line int // from 1; 0 when it is not known
	Msg  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

func errorAt(line int, format string, args ...any) *Error {
	return &Error{Line: line, Msg: fmt.Sprintf(format, args...)}
}

// Lines maps the JSON pointer (RFC 6901) of each value to the line it starts on, from 1: a member's is that of its name.
type Lines map[string]int

// At returns the line of the value at pointer, or of the nearest value around it that has one, so that a value which is
// missing is reported where it should stand; 0 when nothing is known.
func (l Lines) At(pointer string) int {
	for {
		if line, ok := l[pointer]; ok {
			return line
		}
		cut := strings.LastIndexByte(pointer, '/')
		if cut < 0 {
			return 0
		}
		pointer = pointer[:cut]
	}
}
