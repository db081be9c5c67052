// Package profiles knows what each revision of MCP allows and what each client takes: limits with their sources and the month in which they were
// last confirmed, in one data file. The gate judges a surface by them, and the client view shows a tool as a client would hand it to its model.
//
// It holds facts and looks them up; it never looks at a surface.
package profiles
