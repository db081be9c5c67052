package facade

import (
	"bytes"
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/wire"
)

// What requests of the stateless era say of themselves (MCP 2026-07-28), in params._meta, and what the servers of it say.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"

	codeHeaders    = -32020 // a header and the message do not agree
	codeCapability = -32021 // the client cannot do what the request takes
	codeVersion    = -32022 // the protocol version is not spoken
)

// Protocol is what a server spoke when its tools were approved. The front speaks the era of it: what a client of the other one says is answered as such a server
// answers, so that clients of both eras come to the other one.
type Protocol struct {
	Stateless bool     // server/discover is answered, and requests stand for themselves; else initialize opens a session
	Versions  []string // that it said it speaks; none: those of the era that are known here
}

// versions are those that are told to a client that asks for another one.
func (p Protocol) versions() []string {
	if p.Stateless {
		return unlessEmpty(p.Versions, wire.StatelessVersions)
	}
	return unlessEmpty(slices.DeleteFunc(slices.Clone(p.Versions), isLater), wire.HandshakeVersions)
}

// unlessEmpty is the first list unless that is empty.
func unlessEmpty(list, otherwise []string) []string {
	if len(list) > 0 {
		return list
	}
	return otherwise
}

// speaks reports whether requests of a version of the stateless era are served.
func (p Protocol) speaks(version string) bool {
	return p.Stateless && slices.Contains(wire.StatelessVersions, version)
}

// refuseVersion refuses a request of a version that is not served, with those that are: a client of both eras goes on with one of them.
func (p Protocol) refuseVersion(version string) refusal {
	list, _ := canon.EncodeCompact(p.versions())
	return refusal{code: codeVersion, reason: string(air.ErrUnsupportedOperation), message: "protocol version " + shown(version) + " is not served here", hint: "go on with one that is",
		more: append(append(append([]byte(`"supported":`), list...), `,"requested":`...), canon.Quote(cut(version, maxShown))...)}
}

// hello is what a request of the stateless era says of its client.
type hello struct {
	version      string
	capabilities []byte // of the client, a raw object
	meta         []byte // the members of _meta that say so, as a raw object: for requests of the facade's own
}

// helloOf reads a request's hello; nil for one of the handshake era.
func helloOf(e wire.Envelope) (*hello, *refusal) {
	meta := memberAt(e.Bytes(e.Params), "_meta")
	raw := memberAt(meta, metaVersion)
	version, ok := wire.Unquote(raw)
	if !ok || !isLater(version) {
		return nil, nil
	}
	if refused := twofold(e.Bytes(e.Params), meta); refused != nil {
		return nil, refused
	}
	h := &hello{version: version}
	kept := memberList{}
	kept.add(canon.Quote(metaVersion), raw)
	if client := memberAt(meta, metaClient); client != nil {
		if client[0] != '{' {
			return nil, badMeta(metaClient)
		}
		kept.add(canon.Quote(metaClient), client)
	}
	if h.capabilities = bytes.Clone(memberAt(meta, metaCapabilities)); len(h.capabilities) == 0 || h.capabilities[0] != '{' {
		return nil, badMeta(metaCapabilities)
	}
	kept.add(canon.Quote(metaCapabilities), h.capabilities)
	h.meta = kept.bytes()
	return h, nil
}

// decidedOn are members of params that more is read of than is passed on.
var decidedOn = [...]string{"_meta", "requestState", "inputResponses"}

// twofold refuses params of which two readers could find another client, another progress token or another question of the server's than was decided on.
func twofold(params, meta []byte) *refusal {
	problem := ""
	var given [len(decidedOn)]bool
	eachMember(params, func(raw, _ []byte) {
		name := paramName(raw)
		for i, real := range decidedOn {
			switch {
			case name == real && given[i]:
				problem = "params gives " + name + " more than once"
			case name == real:
				given[i] = true
			case isLookalike(name, real):
				problem = "params has a member " + shown(name) + ", which some readers take for " + real
			}
		}
	})
	if at, twice := givenTwice(meta); twice {
		problem = "params._meta gives a member twice: " + shown(at)
	}
	if problem == "" {
		return nil
	}
	return &refusal{code: codeParams, reason: ambiguousMessage, message: problem, hint: "give every member once: readers do not agree on which of two counts"}
}

func badMeta(member string) *refusal {
	return &refusal{code: codeParams, reason: string(air.ErrValidation), message: "params._meta has no " + member + ", or one that is no object",
		hint: "say in every request of this era what the client can do"}
}

// greet takes in what a request says of its client, where the session is not one that initialize opened. It refuses a request that cannot be served.
func (s *session) greet(e wire.Envelope) (*hello, *refusal) {
	if s.handshaken.Load() {
		return nil, nil
	}
	h, refused := helloOf(e)
	if h == nil {
		return nil, refused
	}
	if p := s.facade.exposed.Load().Protocol; !p.speaks(h.version) {
		r := p.refuseVersion(h.version)
		return nil, &r
	}
	if e.MethodName() == methodInitialize {
		return nil, &refusal{code: codeNoMethod, message: "unknown method \"initialize\": requests of protocol version " + h.version + " open no session", reason: unsupported, hint: "send the requests themselves, without initialize"}
	}
	if was := s.hello.Swap(h); was == nil || was.version != h.version {
		if link, ok := s.up.(exchanges); ok {
			link.SetProtocolVersion(h.version)
		}
	}
	return h, nil
}

// complete is a result of the facade's own as the session's era has it.
func (s *session) complete(result []byte) []byte {
	if s.hello.Load() == nil {
		return result
	}
	for _, m := range []struct{ name, value string }{{"resultType", `"complete"`}, {"ttlMs", "0"}, {"cacheScope", `"private"`}} {
		result = withMember(result, []byte(m.value), m.name)
	}
	return result
}

// interim reports a result that asks for more, with which the call goes on.
func interim(result []byte) bool {
	return string(memberAt(result, "resultType")) == `"input_required"`
}
