// Package docs holds the reference pages that the program prints itself. It depends on nothing.
package docs

import _ "embed"

// ReportSchema is the JSON Schema of every report in JSON. It is made from the types of the reports, by a test of internal/cli.
//
//go:embed report.schema.json
var ReportSchema []byte

// AIRSchema is the JSON Schema of an AIR document. It is made from the types of compiler/air, by a test of internal/cli.
//
//go:embed air.schema.json
var AIRSchema []byte

// MetadataSchema is the JSON Schema of tools-metadata, made from its types by a test of internal/cli.
//
//go:embed tools-metadata.schema.json
var MetadataSchema []byte

// CapabilitySchema is the JSON Schema of the contracts in capabilities/ of a pack.
//
//go:embed capability.schema.json
var CapabilitySchema []byte

// CommandsSchema is the JSON Schema of cli/commands.json in a pack.
//
//go:embed commands.schema.json
var CommandsSchema []byte

// PackSchema is the JSON Schema of a pack's manifest, made in the same way.
//
//go:embed pack.schema.json
var PackSchema []byte

// CertificationSchema is the JSON Schema of certification.json, which is what a certificate says.
//
//go:embed certification.schema.json
var CertificationSchema []byte

// TrustSchema is the JSON Schema of a trust file.
//
//go:embed trust.schema.json
var TrustSchema []byte

// LearnEventsSchema is the JSON Schema of a line of a file of observed calls.
//
//go:embed learn-events.schema.json
var LearnEventsSchema []byte

// LearnedSchema is the JSON Schema of what was learned of tools, as a pack keeps it (learned.json).
//
//go:embed learned.schema.json
var LearnedSchema []byte
