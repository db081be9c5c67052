// Package exchange takes events out of files and puts them into files: anvil's own JSON lines, the spans of OpenTelemetry as OTLP JSON, and the events that
// adaptive-mcp writes.
//
// Where it stands: behind learn, whose events it reads and writes, and before the command line, which hands what was read to a store. It keeps no store, reads no
// clock and opens no file. Every reader takes hostile input: it says what is wrong and where, goes on behind it, and holds a line, a span or the spans of the
// traces that are open, never a whole file. No payload leaves a reader: arguments and results become a [learn.Payload] at once, and any other attribute that is
// not listed in names.go is not looked at. ADR 0044 says what maps to what.
package exchange
