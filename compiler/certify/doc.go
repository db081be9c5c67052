// Package certify says of a pack what was checked of it, has that signed, and holds a pack against what was signed.
//
// It is the last stage of the build path: it reads a sealed pack, runs static checks over it, and writes a [Certification], which stands beside
// the pack's digest and never in it. A signed one is a DSSE envelope over an in-toto statement (ADR 0034). [Verify] needs the envelope, the pack and a
// [Trust] file, and fails closed: what it cannot read, does not know or cannot match is a refusal with a reason of its own.
//
// A certification is what was checked; a certificate is that and the signatures over it. A surface signature is the digest of a pack's operations, and has
// nothing to do with those of keys.
//
// It does no I/O and reads no clock. Nothing on the serving path imports it. It certifies what stands in a pack, and never what a server does.
package certify
