// Package command emits the command line of a pack: a launcher in POSIX sh, and a catalogue of the commands for other programs.
//
// It reads an AIR document. The launcher holds no command, no flag and no word of the server's: it finds its pack and starts anvil, which makes
// the commands from the pack's document each time (ADR 0032), out of the [Commands] that the catalogue lists too. The package parses no command
// line and calls nothing; internal/packcli does the one and internal/cli the other.
package command

import (
	_ "embed"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
)

// SchemaVersion is the version of the catalogue's format.
const SchemaVersion = 1

//go:embed launcher.sh
var launcher string

// Files returns the launcher and the catalogue of a document, by their paths in a pack.
func Files(d air.Document) (map[string][]byte, error) {
	catalogue, err := CatalogueOf(d).Encode()
	return map[string][]byte{pack.CommandLine(d.Service.ID): Launcher(d), pack.CommandsFile: catalogue}, err
}

// Launcher returns the program of a document's service. It depends on the service's id and the surface signature alone, so that it is the same
// in every mode and under any approvals.
func Launcher(d air.Document) []byte {
	return []byte(strings.NewReplacer("@SERVICE@", d.Service.ID, "@SIGNATURE@", d.Signature().Digest).Replace(launcher))
}

// Catalogue is commands.json: what a program has to know to offer the commands and to call them through the launcher.
type Catalogue struct {
	SchemaVersion int            `json:"schemaVersion"`
	Service       Service        `json:"service"`
	Launcher      string         `json:"launcher"`  // file beside the catalogue
	Signature     string         `json:"signature"` // of the whole surface, as in surface-signature.json
	Exposed       string         `json:"exposed"`   // of the operations that are commands
	Groups        []Group        `json:"groups"`
	Commands      []Command      `json:"commands"` // by name
	Flags         []Flag         `json:"flags"`    // of every command
	ExitCodes     map[int]string `json:"exitCodes"`
}

// Service is whose commands they are.
type Service struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
}

// CatalogueOf returns the catalogue of a document.
func CatalogueOf(d air.Document) Catalogue {
	commands := Commands(d)
	return Catalogue{
		SchemaVersion: SchemaVersion,
		Service:       Service{d.Service.ID, d.Service.Name, d.Service.Version},
		Launcher:      d.Service.ID,
		Signature:     d.Signature().Digest,
		Exposed:       d.Approved().Signature().Digest,
		Groups:        Groups(d, commands),
		Commands:      commands,
		Flags:         Flags,
		ExitCodes:     ExitCodes,
	}
}

// Encode writes the catalogue.
func (c Catalogue) Encode() ([]byte, error) { return canon.Encode(c) }

// Flag is one that every command has of its own.
type Flag struct {
	Name   string   `json:"name"`
	Value  string   `json:"value,omitzero"` // what it takes; empty for one that is given or not
	Values []string `json:"values,omitempty"`
	Usage  string   `json:"usage"`
}

// Flags are the flags of every command. Their names are all in air.ReservedFlags, so that no flag of an operation is called so.
var Flags = []Flag{
	{Name: "completion", Value: "SHELL", Values: []string{"bash", "zsh", "fish"}, Usage: "without a command: print what makes this shell complete commands, flags and values"},
	{Name: "confirm", Usage: "say yes to an operation that asks for confirmation"},
	{Name: "dry-run", Usage: "print the request and what would be asked; start nothing and send nothing"},
	{Name: "format", Value: "FORMAT", Values: []string{"text", "json"}, Usage: "text, or json: the server's result as it came"},
	{Name: "help", Usage: "tell about all commands, or about one"},
	{Name: "json", Value: "OBJECT", Usage: "arguments as one JSON object; - reads it from stdin, @FILE from a file; a flag goes before what it says"},
	{Name: "schema", Usage: "print the schemas of what the command takes and answers"},
	{Name: "target", Value: "TARGET", Usage: "call this server instead of the pack's own: a URL or a name of the configuration (a command goes behind --, last on the line)"},
	{Name: "timeout", Value: "TIME", Usage: "give up after this time, such as 30s or 2m"},
	{Name: "version", Usage: "without a command: print which pack this is"},
}

// ExitCodes says what the command line ends with; they are anvil's own.
var ExitCodes = map[int]string{
	0: "the tool answered, or there was nothing to call",
	1: "anvil refused: confirmation is missing, the tool changed since it was approved, or the pack does not verify",
	2: "wrong usage: no such command, or arguments that the tool's schema refuses",
	3: "the work could not be done",
	4: "the server could not be reached",
	5: "the server asks for authentication",
	6: "the tool returned an error",
}
