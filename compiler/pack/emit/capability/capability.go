// Package capability emits the contracts of capabilities: a file for each that has an approved operation.
//
// It reads an AIR document and returns files by their path in the pack. What a contract says is air's work; nothing is decided here.
package capability

import (
	"fmt"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/yaml"
)

// Build returns the contracts of d by path. A document without an approved operation has none.
func Build(d air.Document) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, contract := range d.Contracts() {
		if !safe(contract.ID) {
			return nil, fmt.Errorf("capability id %q cannot name a file", contract.ID)
		}
		text, err := canon.EncodeCompact(contract)
		if err != nil {
			return nil, fmt.Errorf("write contract of capability %s: %w", contract.ID, err)
		}
		if files[pack.CapabilityFile(contract.ID)], err = yaml.FromJSON(text); err != nil {
			return nil, fmt.Errorf("write contract of capability %s: %w", contract.ID, err)
		}
	}
	return files, nil
}

// safe reports an id of the shape that the bridge gives: a service, a point, and words.
func safe(id string) bool {
	service, slug, found := strings.Cut(id, ".")
	return found && air.ValidServiceID(service) && slug != "" && strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
