// Package probe captures the surface of a live MCP server: the impure edge of adoption.
//
// It opens a wire session in the newest era both sides speak, reads every list the server announces, with all pages, and returns the
// server's own words as a surface.Capture. What the server does wrong on the wire and can be lived with is a
// finding of [Rules], one of each kind; what the surface says it does not judge. What it could not do is a [Failure], and an unreachable server is never an empty
// surface. What goes beyond the limit for one message is skipped, and kept on disk
// where a link was given a [Spool]. While it listens it answers the server's pings and asks, and declines to sample or to ask a person.
package probe
