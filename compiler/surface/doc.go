// Package surface holds McpSurfaceSnapshot: what one MCP server showed, its digests, its file format and the folder it is kept in.
//
// It stands between the probe, which fills a [Capture] from a live server, and everything that judges, lowers or compares. A snapshot is
// never changed after it is made; gate, bridge and diff read it. Every member a server sent is kept, known or not; typed
// views ([Item.Node], [McpSurfaceSnapshot.ServerName]) are derived from it, never the reverse. Nothing volatile is in a snapshot: no
// time, no address that matters, no order of arrival.
package surface
