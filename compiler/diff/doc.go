// Package diff compares two surfaces and judges what moved.
//
// It stands behind surface and before whatever acts on drift: the pack, the facade and the command line. [Compare] computes structure and
// knows no rule: what was added, removed and changed, each change at the deepest place where the two sides differ. [Judge] turns a
// [Delta] into findings, one rule a root cause, and never walks JSON. A change inside a schema whose effect cannot be told from its place is
// reported as undecided and risky, never left out: a delta that is not empty always has a finding.
//
// The package reads snapshots only. It reaches no server, writes no file, and decides no exit code.
package diff
