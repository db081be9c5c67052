// Package air is the intermediate representation: one document that says, of one service, which operations it has, what each of them does
// to the world, on what evidence, and who approved it.
//
// It stands between the bridge, which lowers a snapshot to a Document, and everything that is made from one: the pack and its artifacts,
// the facade's policy, certification. A Document is a value; functions return another one and never change what they were given. Nothing
// volatile is in it: no time but that of an approval, no address, no machine.
//
// The safety fields of an Operation are not opinions of their own: they are the safest value that its evidence asserts (Settled), and
// only a person's accepted claim may put a looser one in its place. The package must not reach a server, read a clock, or infer anything
// from a name; that is the bridge's work. It is part of the serving path and imports nothing of the build path.
package air
