// Package wire speaks raw MCP: it moves JSON-RPC messages as bytes and looks no deeper than it must.
//
// A Link carries whole messages (frames) to and from one peer: Process over the stdio of a child process, HTTP over
// streamable HTTP, SSE over the older HTTP+SSE, Auto over whichever of these two a server turns out to speak, Pipe in
// memory. Scan finds the members of an envelope without building a tree. Client multiplexes calls over a Link by id.
// Connect dials and opens a Session on it, in the era it finds out: with initialize, or with server/discover and without
// a session on the server's side. Handshake is initialize alone.
//
// Probe and facade both stand on it, so it keeps what the peer sent: params, results and errors are handed on as the
// bytes that arrived, unknown members and odd spellings included. What a peer does wrong but readably is accepted and
// reported as noise; what it does wrong beyond a bound ends in a typed error, never in unbounded memory or a hang. A message
// beyond the limit can be kept on disk as it streams by (Spool).
//
// It must not decode payloads into structs, judge what a server says or log, and it repeats no call but one that
// only reads, on a session that had to be opened anew.
package wire
