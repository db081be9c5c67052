// Package docs holds the reference pages that the program prints itself. It depends on nothing.
package docs

import _ "embed"

// ReportSchema is the JSON Schema of every report in JSON. It is made from the types of the reports, by a test of internal/cli.
//
//go:embed report.schema.json
var ReportSchema []byte

// CertificationSchema is the JSON Schema of certification.json, which is what a certificate says.
//
//go:embed certification.schema.json
var CertificationSchema []byte

// TrustSchema is the JSON Schema of a trust file.
//
//go:embed trust.schema.json
var TrustSchema []byte
