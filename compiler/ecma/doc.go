// Package ecma reads regular expressions of ECMA-262, in which JSON Schema writes its patterns: it compiles them for Go, by translation where Go's own
// engine has the means and with another engine where it has not, and tells what automata can be told of them.
//
// It stands before schema, whose validator matches with it, and subtype, which reasons about them. It knows nothing of schemas.
package ecma
