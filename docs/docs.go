// Package docs holds the reference pages that the program prints itself. It depends on nothing.
package docs

import _ "embed"

// ReportSchema is the JSON Schema of every report in JSON. It is made from the types of the reports, by a test of internal/cli.
//
//go:embed report.schema.json
var ReportSchema []byte

// PackSchema is the JSON Schema of a pack's manifest, made in the same way.
//
//go:embed pack.schema.json
var PackSchema []byte
