// Package pack is the adopted server as a folder: a manifest, the artifacts it lists with their digests, and the one digest that
// identifies them all.
//
// It stands behind air and diff. The emitters in emit/... fill a pack; the facade, the certifier and people open one. Opening verifies:
// a pack whose files are not exactly those that its manifest seals is refused. The package generates no artifact and knows no live server,
// so the serving path can import it.
package pack
