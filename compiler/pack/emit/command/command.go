// Package command emits the command line of a pack: a launcher in POSIX sh, and a catalogue of the commands for other programs.
//
// It reads an AIR document. The launcher holds no command, no flag and no word of the server's: it finds its pack and starts anvil, which makes
// the commands from the pack's document each time (ADR 0032). What a command is stands in compiler/pack/commands, for whoever reads the catalogue.
package command

import (
	_ "embed"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/commands"
)

//go:embed launcher.sh
var launcher string

// Files returns the launcher and the catalogue of a document, by their paths in a pack.
func Files(d air.Document) (map[string][]byte, error) {
	catalogue, err := commands.CatalogueOf(d).Encode()
	return map[string][]byte{pack.CommandLine(d.Service.ID): programOf(d), pack.CommandsFile: catalogue}, err
}

// programOf returns the program of a document's service. It depends on the service's id and the surface signature alone, so that it is the same
// in every mode and under any approvals.
func programOf(d air.Document) []byte {
	return []byte(strings.NewReplacer("@SERVICE@", d.Service.ID, "@SIGNATURE@", d.Signature().Digest).Replace(launcher))
}
