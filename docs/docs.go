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
