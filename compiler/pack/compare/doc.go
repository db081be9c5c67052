// Package compare tells how two packs differ by what that means: what moved on the surface, what that does to callers and to the safety posture,
// which approvals and settings are others, which artifacts, and which tools behave otherwise by what was learned of them.
//
// It stands behind diff and pack, and is read by people and CI through the command line. It judges surfaces with the diff's rules and classifies
// what they find; it builds nothing and changes no pack.
package compare
