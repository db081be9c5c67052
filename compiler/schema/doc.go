// Package schema reads JSON Schema as data: what a tool's schema means to a machine, and what it says to a reader.
//
// It stands behind canon and before surface: digests and diffs are taken of the forms it returns. It never validates by fetching: a
// `$ref` is kept as it is written and no document outside the schema is ever read. It takes any JSON; what is not a schema passes through
// in canonical form.
package schema
