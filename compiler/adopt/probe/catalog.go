package probe

import "anvil/compiler/diag"

var (
	ambiguousMessage = diag.Rule{ID: "ambiguous-message", Title: "A message says two things at once", Class: diag.Warning, Since: "0.1",
		Doc: `A reply holds both a result and an error, or a method beside them. Clients differ in which of them counts. The server should send
one of them and leave the other out, null included.`,
		Hint: "report it to the server's maintainers; a reply has a result or an error, never both"}
	batchReply = diag.Rule{ID: "batch-reply", Title: "Several messages come in one", Class: diag.Warning, Since: "0.1",
		Doc: `The server puts messages into a JSON array. The protocol had such batches in 2025-03-26 alone, and most clients refuse them. The server
should send each message by itself.`,
		Hint: "report it to the server's maintainers; most clients drop the whole array"}
	brokenReply = diag.Rule{ID: "broken-reply", Title: "A reply is no JSON", Class: diag.Warning, Since: "0.1",
		Doc: `The server answered a request with something that names the protocol, the request and a result, and is no JSON: it is cut short, has a comma too
many, an escape or a word (NaN) that JSON does not have, a line break in a text. The request failed at once. The server should write
messages with a JSON encoder, and escape what it puts into them.`,
		Hint: "report it to the server's maintainers; what the reply was to say is lost"}
	byteOrderMark = diag.Rule{ID: "byte-order-mark", Title: "The output begins with a byte order mark", Class: diag.Warning, Since: "0.1",
		Doc: `The first bytes of stdout are EF BB BF. JSON has no byte order mark, and clients fail on the first message. The server should write UTF-8
without one.`,
		Hint: "have the server open its stdout as UTF-8 without a byte order mark"}
	capabilityMismatch = diag.Rule{ID: "capability-mismatch", Title: "What is announced is not what is listed", Class: diag.Error, Since: "0.1",
		Doc: `The server announces a capability and answers its list method with "method not found", or lists what it does not announce. Clients see
nothing of that kind in the first case, and in the second those that keep to the protocol do not ask: what they approve is not all there is.
The server should announce what it serves, and serve what it announces. An empty list that is not announced is no matter.`}
	diesOnUnknownMethod = diag.Rule{ID: "dies-on-unknown-method", Title: "The server ends when it is sent a method it does not know", Class: diag.Warning, Since: "0.1",
		Doc: `The server went away when the first thing it was sent was server/discover, and opened a session with initialize once it was started again.
Clients of the newer protocol begin with that method, and not all of them start a server twice. It should answer with error -32601.`,
		Hint: "report it to the server's maintainers; an unknown method is answered with error -32601"}
	duplicateEnvelopeMember = diag.Rule{ID: "duplicate-envelope-member", Title: "A member of a message is given twice", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `One of jsonrpc, id, method, params, result and error stands twice in a message. Readers differ in which one counts, so two programs can
see two different messages. anvil reads the last. The server should send each member once.`,
		Hint: "report it to the server's maintainers; do not put the server behind anything that reads messages in another way"}
	duplicateReply = diag.Rule{ID: "duplicate-reply", Title: "A request is answered twice", Class: diag.Warning, Since: "0.1",
		Doc:  `The server replies again to a request that has had its reply. anvil keeps the first. The server should reply once.`,
		Hint: "report it to the server's maintainers; the first reply counted"}
	ignoresUnknownMethod = diag.Rule{ID: "ignores-unknown-method", Title: "A method that the server does not know is not answered", Class: diag.Warning, Since: "0.1",
		Doc: `server/discover had no answer by the time initialize was answered, sent a good second later. A client that begins with an optional method and
waits for its answer hangs with this server. It should answer with error -32601.`,
		Hint: "report it to the server's maintainers; an unknown method is answered with error -32601"}
	joinedMessages = diag.Rule{ID: "joined-messages", Title: "A message is followed by something on its line", Class: diag.Warning, Since: "0.1",
		Doc: `Several messages stand on one line, or a reply and then some text. On stdio a line is a message, and clients that read by lines drop the whole.
They were taken apart. The server should end each message with a newline, and log to stderr.`,
		Hint: "have the server end each message with a newline; most clients drop the whole line"}
	listChangeStorm = diag.Rule{ID: "list-change-storm", Title: "Changes are announced without end", Class: diag.Warning, Since: "0.1",
		Doc: `The server keeps sending list_changed while its lists stay the same. Clients read the lists again each time. The server should announce
changes when there are any.`,
		Hint: "report it to the server's maintainers; the lists were read several times over and came out the same"}
	listMalformed = diag.Rule{ID: "list-malformed", Title: "A list result is not what the protocol says", Class: diag.Error, Since: "0.1",
		Doc: `The result of a list method has no list, a cursor of a wrong type, or a member twice. Clients disagree on what it says. The server
should send the list, empty if need be, and a cursor that is text.`}
	listNondeterministic = diag.Rule{ID: "list-nondeterministic", Title: "Two captures of one server differ", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Asked again, right away and in the same words, the server shows another surface: items come and go, or their text changes (a time, a
random value, a counter). No snapshot of it can be compared with another, and nobody can say what was approved. The server should
answer the same until it announces a change.`}
	looselyTypedID = diag.Rule{ID: "loosely-typed-id", Title: "A reply spells the request's id otherwise", Class: diag.Warning, Since: "0.1",
		Doc: `The request had the id 1, the reply has "1" or 1.0. Clients that compare strictly wait for a reply that never comes. The server should
send the id back as it came.`,
		Hint: "report it to the server's maintainers; an id goes back as it came"}
	malformedMessage = diag.Rule{ID: "malformed-message", Title: "Something is sent that is no message", Class: diag.Warning, Since: "0.1",
		Doc:  `Where a message belongs the server sent something that is not JSON-RPC. It was skipped. The server should send messages alone.`,
		Hint: "report it to the server's maintainers; what was no message was skipped"}
	missingJSONRPC = diag.Rule{ID: "missing-jsonrpc", Title: "A message lacks the JSON-RPC version", Class: diag.Warning, Since: "0.1",
		Doc:  `Every message holds "jsonrpc": "2.0". Most clients end the session when it is missing. The server should send it.`,
		Hint: "have the server send \"jsonrpc\": \"2.0\" in every message; most clients end the session without it"}
	nullIDError = diag.Rule{ID: "null-id-error", Title: "An error names no request", Class: diag.Warning, Since: "0.1",
		Doc: `The server sent a reply whose id is null or missing. That is meant for messages it could not read, and anvil's can be read; what it was
about cannot be told. The server should answer with the request's id, and a notification not at all.`,
		Hint: "report it to the server's maintainers; an error goes back with the id of its request"}
	oversizedMessage = diag.Rule{ID: "oversized-message", Title: "A message is larger than the limit", Class: diag.Warning, Since: "0.1",
		Doc: `The server sent a message, or a line, beyond the limit for one message. It was skipped, never held in memory; with --evidence FILE it is kept on
disk beside that file, whole unless it exceeds sixteen limits. A request that it answered has failed. Clients have limits too, some of 16 MiB
or less. The server should page its lists.`,
		Hint: "have the server send its lists in pages"}
	pagingLoop = diag.Rule{ID: "paging-loop", Title: "A list has no end", Class: diag.Error, Since: "0.1",
		Doc: `A cursor came back that was used before, or the pages exceeded every bound. Clients that page on hang or miss items. The
server should end its list with a page that has no nextCursor.`}
	requestFlood = diag.Rule{ID: "request-flood", Title: "The server asks more than it lets answer", Class: diag.Warning, Since: "0.1",
		Doc:  `The server sent requests faster than they could be answered, beyond what is kept waiting. The rest was dropped.`,
		Hint: "report it to the server's maintainers; it should wait for answers before it asks on"}
	slowToRefuseDiscover = diag.Rule{ID: "slow-to-refuse-discover", Title: "The server takes long over a method it does not know", Class: diag.Info, Since: "0.1",
		Doc: `server/discover was refused, but only after the time a client waits for it. Clients of the newer protocol lose that time, or give up. A server that
is slow to start looks the same: start it without npx or the like to tell.`}
	stdoutNoise = diag.Rule{ID: "stdout-noise", Title: "Something else than messages is on stdout", Class: diag.Warning, Since: "0.1",
		Doc: `On stdio, stdout carries messages and nothing else. Banners and log lines there end the session in most clients. They were skipped. The
server should log to stderr.`,
		Hint: "have the server, or what starts it, log to stderr"}
	tooDeepMessage = diag.Rule{ID: "too-deep-message", Title: "A message nests deeper than the limit", Class: diag.Warning, Since: "0.1",
		Doc: `Objects and arrays nest more than 10000 levels deep in a message. It was not read, and a request that it answered has failed at once. Most clients
give up far earlier: at 1000 levels, some with the end of the process. The server should send schemas that refer to themselves with
$ref, not written out.`,
		Hint: "report it to the server's maintainers; a schema that repeats itself belongs under $defs, with a $ref to it"}
	unknownProtocolVersion = diag.Rule{ID: "unknown-protocol-version", Title: "The server speaks a protocol version that does not exist here", Class: diag.Warning, Since: "0.1",
		Doc: `The server answered initialize with a version that this anvil does not know. Most clients end the session. What could be read was read. The
server should answer with a version that the client knows.`,
		Hint: "update anvil if the version is a published one; otherwise report it to the server's maintainers"}
	unknownReplyID = diag.Rule{ID: "unknown-reply-id", Title: "A reply answers nothing that was asked", Class: diag.Warning, Since: "0.1",
		Doc:  `The server sent a reply with an id that no request had. It was dropped. The server should reply to requests, with their ids.`,
		Hint: "report it to the server's maintainers; the reply was dropped"}
)

// Rules lists the rules of what the probe notices.
var Rules = diag.NewCatalog(
	ambiguousMessage, batchReply, brokenReply, byteOrderMark, capabilityMismatch, diesOnUnknownMethod, duplicateEnvelopeMember, duplicateReply,
	ignoresUnknownMethod, joinedMessages, listChangeStorm, listMalformed, listNondeterministic, looselyTypedID, malformedMessage, missingJSONRPC, nullIDError,
	oversizedMessage, pagingLoop, requestFlood, slowToRefuseDiscover, stdoutNoise, tooDeepMessage, unknownProtocolVersion, unknownReplyID,
)
