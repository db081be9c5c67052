// Package export renders reports in the formats that other programs read: SARIF for code scanning, JUnit for test reports, and GitHub's workflow
// commands for annotations. It stands beside the renderers of diag and says nothing that the report does not.
package export
