// Package wording looks at one text of a server's, as a security reviewer would: what stands in it that nobody sees, what of it speaks to a
// model rather than describes, and what in it is a credential.
//
// It stands behind lookalike and beside the pipeline's stages, which know whose text it is and what follows from it: the package takes a text and answers with
// places in it. It knows no schema and no surface, judges nothing, and keeps nothing. Every function takes time linear in the text, any bytes
// included.
package wording
