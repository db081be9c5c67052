// Package subtype decides how the values that two JSON Schemas allow stand to each other, and proves it: equal, narrowed, widened or incomparable, each
// difference with a witness, a value that one schema allows and the other does not. What it cannot decide it says: unknown, with the keyword that stopped
// the proof.
//
// It stands behind schema, whose analysis resolves references and tells the dialect, and before diff, which asks it about a tool's schemas. It knows
// nothing of tools, and whether a change is good or bad is not its business.
//
// # How it decides
//
// "Every value of A is one of B" fails when some value satisfies A and not B, so the one question is whether a set of obligations (schemas that a value
// has to satisfy, or must not) can be met. Both schemas are compiled to formulas over typed assertions, equal ones being one object. The solver takes
// obligations apart type by type, branching where one of several may be met, until only assertions about one type are left; those are solved exactly:
// numbers by divisibility, strings by automata, arrays and objects by the obligations of their parts, which is the same question again. Recursive
// schemas end because a smallest value that meets some obligations has no part that meets the same ones.
//
// Finding nothing is a proof, and must be sound. Finding a value is only as good as the value, which an independent validator checks before it is shown.
package subtype
