// Package schema reads JSON Schema as data: what a tool's schema means to a machine, what it says to a reader, and whether it is one.
//
// It stands behind canon and before surface: digests and diffs are taken of the forms it returns, and the gate judges what [Analyse] finds: the
// dialect, every subschema and reference, and every place where the schema breaks the rules of its dialect. It never validates by fetching: a `$ref` is
// followed within the schema it stands in, and no other document is ever read. It takes any JSON; what is not a schema passes through
// in canonical form.
package schema
