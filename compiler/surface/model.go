package surface

import "anvil/compiler/canon"

// ModelForm returns what a client hands a model of a tool on every turn: its name, description and input schema, as compact JSON with sorted
// members. It is nil for the other kinds, which clients show to people or on request, and for what is no object.
func (it Item) ModelForm() []byte {
	if it.Kind != Tool || !it.Node.IsObject() {
		return nil
	}
	var b canon.Builder
	for _, member := range []string{"description", "inputSchema", "name"} {
		b.AddNode(member, it.Node.Get(member))
	}
	return b.Bytes()
}
