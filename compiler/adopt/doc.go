// Package adopt is where a captured surface becomes an intermediate representation: the bridge from a snapshot to an AIR document.
//
// It stands behind surface and air. Its sub-packages do the other halves of adoption: probe captures (the impure edge), gate decides
// whether a surface may be adopted at all. The bridge itself is a pure function of a snapshot: it infers what each tool does from hints,
// words and schemas, each as a claim with its source, and takes the safest of them. No input makes it fail.
package adopt
