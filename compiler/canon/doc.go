// Package canon is the first stage of anvil's flow: JSON read exactly, written canonically, and digested.
//
// Everything later stands on three promises kept here. A value is read without loss: member order, duplicate names, number spelling
// and escapes stay visible in a [Node]. A value has one canonical form, anvil-c14n/1, so that equal surfaces have equal bytes on any
// machine. A digest is taken of canonical bytes only.
//
// anvil-c14n/1 is RFC 8785 with exact numbers: object names in UTF-16 order, no white space, minimal string escapes, and numbers in
// the layout of RFC 8785 but with every decimal digit kept (9007199254740993 stays itself; 1.0, 1e0 and 1 are one number). Where a value survives a
// double in shortest form the bytes are those of RFC 8785. What RFC 8785 refuses is kept instead: duplicate names stay in source order,
// lone surrogates stay escaped, invalid UTF-8 stays as it came. [Flaws] reports them.
//
// The package knows nothing of MCP and must not: it does no I/O and imports nothing of anvil's.
package canon
