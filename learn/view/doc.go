// Package view publishes what was learned, in the layout that consumers of the dev.adaptivemcp/tools-metadata extension read, with anvil's optional members
// behind it.
//
// It stands behind learn/profile: [Build] makes the document of a store's profiles; compiler/pack/emit/metadata fills the same layout from AIR and lets [Observe]
// add what was learned. [Compare] tells two documents apart by how tools behave. It measures and concludes nothing, and reads no clock: equal profiles give
// equal bytes.
package view
