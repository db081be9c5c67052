// Package wire speaks raw MCP: it moves JSON-RPC messages as bytes and looks no deeper than it must.
//
// A Link carries whole messages (frames) to and from one peer: Process over the stdio of a child process, HTTP over
// streamable HTTP, Pipe in memory. Scan finds the members of an envelope without building a tree. Client multiplexes
// calls over a Link by id, and Handshake opens a session of the initialize era.
//
// Probe and facade both stand on it, so it keeps what the peer sent: params, results and errors are handed on as the
// bytes that arrived, unknown members and odd spellings included. What a peer does wrong but readably is accepted and
// reported as noise; what it does wrong beyond a bound ends in a typed error, never in unbounded memory or a hang.
//
// It must not decode payloads into structs, judge what a server says, retry a call, or log.
package wire
