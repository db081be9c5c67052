// Package facade serves an adopted MCP server: it stands between a client and the upstream server of one pack, and lets
// through what the pack approves.
//
// It is the serving end of the flow. Its input is what a pack holds (the approved tools with the contract each was
// approved with) and a way to reach the upstream; its clients speak plain MCP over stdio, an in-memory link or
// streamable HTTP. In the handshake era each client session has an upstream session of its own. Requests of the stateless era are made on lanes: of an upstream over
// HTTP one request at a time, of a process one lane for each caller, whose requests share it. No two callers that the front tells apart have one in common, so nothing
// one does or is told can reach another.
//
// Frames pass as the bytes that arrived, both ways and in order. Request ids are replaced on the way up and put back on the way down, because the facade asks the upstream
// questions of its own, and so are progress tokens on a lane that is shared. Params of subscriptions/listen, and of a call that goes on after a question of the facade's,
// are written anew; headers are made from the message. These do not simply pass:
//
//   - tools/list is answered from a complete walk of the upstream's pages, with the approved tools alone, and those only
//     while their contract is the approved one and their text differs in safe ways at most; what a client could take for the list beside it is left out;
//   - tools/call reaches the upstream for such a tool and for no other;
//   - a method that a careless server could take for one of these two is unknown here. Any that has the words of one in
//     it counts, a vendor's "vendor/tools/call/v2" too, as does one with characters beyond ASCII. All others, vendors'
//     and tasks/*, pass;
//   - a message that two readers could take for two different things (a member given twice, or twice but for its case or
//     for characters nobody sees; a call that is a reply as well) is refused when it is the client's and dropped when it
//     is the upstream's, as is a reply of the upstream's to nothing that was asked.
//
// A call is decoded once, and everything that decides on it, repeats it or tells of it is a layer around the next and reads that one Call. Arguments in
// which a member is given twice are refused: what is decided on the one would not hold for the other. In the params of other methods they pass.
//
// A contract is verified when a session first lists or calls, after the upstream announces a change, and before a call
// when that was a minute ago. What the diff calls safe is served and told; a tool that differs otherwise, or in a word
// that nobody approved, is in quarantine until it is approved again, also when the server takes the change back.
//
// Which era a server is served in is the pack's to say. server/discover reaches servers that answer it alone, and its answer has approved words like that of initialize.
//
// The layers of a call, the outermost first: what records it; the gate; the policy; somebody's yes, where the operation
// asks for one; the ledger, where a key makes a write one of a kind; tries, with their time, their repetition and a
// breaker; the sender. An upstream that was lost is started again with the client's next message, and told what its
// predecessor was told.
//
// What the facade publishes of the tools (Options.Resources) stands beside the upstream's resources: requests for it are answered here, and its entries
// are spliced into the last page of the upstream's lists. A client is shown the tools that it may call. The figures among it are of all clients; beside them
// nothing of one client's is told to another that the front knows by another name.
//
// An upstream can spell an error like a refusal of the facade's. Who runs the facade in its own process is told of its
// refusals by Options.Refused; over a link nobody can tell them apart.
//
// A client's messages are read ahead of the upstream, within a bound, so that a client that leaves is noticed whatever
// the upstream does; an upstream that takes nothing for too long is replaced.
//
// The package must not import the build path, decode payloads into structs, or log what clients and servers say.
package facade
