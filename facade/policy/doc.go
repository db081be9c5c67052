// Package policy decides which calls go through, by rules that people write in CEL: those of a pack and those of the configuration where it is served.
//
// It stands beside the facade, which asks it once a tool is found to be approved: rules only ever take away. Its input is the operations of a pack and one
// or more policies; Compile holds each rule against each operation, refuses rules that say nothing, and keeps of every tool what is decided already, so that
// most calls cost a look at a table.
//
// Three times a rule can be asked: when tools are listed, before a call, before its result is passed on. What a rule reads says when it can be decided, and a
// rule that can be decided at the list is decided in the same way at the call: a tool that is hidden is refused, and one that every call is refused of is hidden.
//
// Of the rules of one policy that hold, a deny counts before a confirm and that before an allow; where none holds the default does. Their order does not matter.
// Of several policies the strictest counts. A rule that cannot be decided denies: what it reads is not there, its value is not exact, it costs too much.
//
// Numbers in arguments keep their value. Whole ones are compared as whole numbers whatever their spelling, others as doubles where a double stands for exactly
// that decimal number; any other is not read, which denies. Arguments are taken apart when a rule reads them, and no further than it reads.
//
// The package must not import the facade, log, call anybody, or put a value out of arguments into a verdict.
package policy
