// Package diff compares two surfaces and judges what moved.
//
// It stands behind surface and before whatever acts on drift: the pack, the facade and the command line. [Compare] computes structure and
// knows no rule: what was added, removed and changed, each change at the deepest place where the two sides differ, and of changes in schemas what
// subtype proves that each alone does to the values that are allowed, and all together. [Judge] turns a [Delta] into findings, one rule a root cause,
// and never walks JSON; the class of a schema finding is that of its proof, and what breaks has a witness. A change that is not decided is risky and
// names what stopped the proof; none is left out: a delta that is not empty always has a finding.
//
// The package reads snapshots only. It reaches no server, writes no file, and decides no exit code.
package diff
