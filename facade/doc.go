// Package facade serves an adopted MCP server: it stands between a client and the upstream server of one pack, and lets
// through what the pack approves.
//
// It is the serving end of the flow. Its input is what a pack holds (the approved tools with the contract each was
// approved with) and a way to reach the upstream; its clients speak plain MCP over stdio, an in-memory link or
// streamable HTTP. Each client session has an upstream session of its own, so nothing one client does or is told can
// reach another.
//
// Frames pass as the bytes that arrived, both ways and in order. Only request ids are replaced on the way up and put
// back on the way down, because the facade asks the upstream questions of its own. Three things do not simply pass:
//
//   - tools/list is answered from a complete walk of the upstream's pages, with the approved tools alone, and those only
//     while their contract is the approved one;
//   - tools/call reaches the upstream for such a tool and for no other;
//   - a message that two readers could take for two different things (a member given twice, or twice but for its case) is
//     refused, because the upstream might run what the facade did not read.
//
// A contract is verified when a session first lists or calls, and again after the upstream announces a change. An
// upstream that changes a tool in the middle of a session and keeps silent about it is not noticed before the next one.
//
// The package must not import the build path, decode payloads into structs, or log what clients and servers say.
package facade
