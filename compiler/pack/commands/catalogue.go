package commands

import (
	"anvil/compiler/air"
	"anvil/compiler/canon"
)

// SchemaVersion is the version of the catalogue's format.
const SchemaVersion = 1

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
	all := Commands(d)
	return Catalogue{
		SchemaVersion: SchemaVersion,
		Service:       Service{d.Service.ID, d.Service.Name, d.Service.Version},
		Launcher:      d.Service.ID,
		Signature:     d.Signature().Digest,
		Exposed:       d.Approved().Signature().Digest,
		Groups:        Groups(d, all),
		Commands:      all,
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
	{Name: "format", Value: "FORMAT", Values: []string{"text", "json"}, Usage: "text, or json: the server's result as it came, and what is refused as an object with a code, the last line on stderr"},
	{Name: "help", Usage: "tell about all commands, or about one"},
	{Name: "json", Value: "OBJECT", Usage: "arguments as one JSON object; - reads it from stdin, @FILE from a file; a flag goes before what it says"},
	{Name: "schema", Usage: "print the schemas of what the command takes and answers"},
	{Name: "target", Value: "TARGET", Usage: "call this server instead of the pack's own: a URL or a name of the configuration (a command goes behind --, last on the line)"},
	{Name: "timeout", Value: "TIME", Usage: "give up after this time, such as 30s or 2m"},
	{Name: "version", Usage: "without a command: print which pack this is"},
}

// ExitCodes says what the command line ends with; they are anvil's own, and every page takes them from here.
var ExitCodes = map[int]string{
	0: "the tool answered, or there was nothing to call",
	1: "anvil refused: nobody approved it or somebody blocked it, confirmation is missing, the tool is not the one that was approved, or the pack does not verify",
	2: "wrong usage or configuration: no such command, or arguments that the tool's schema refuses",
	3: "the work could not be done",
	4: "the server could not be reached, or did not speak MCP",
	5: "the server asks for authentication",
	6: "the tool returned an error",
}
