package facade

import (
	"bytes"

	"anvil/wire"
)

// listBeside answers a list of resources, or of their templates, with the upstream's pages: as they came but for the facade's own entries behind those of the last. The
// facade answers alone for an upstream that has no resources.
func (s *session) listBeside(e wire.Envelope, reply func(wire.Envelope), member string, own []byte) {
	s.pending.mu.Lock()
	alone := s.noResources
	s.pending.mu.Unlock()
	if alone {
		s.listAlone(e.Bytes(e.Params), reply, member, own)
		return
	}
	s.forward(e, func(answer wire.Envelope) {
		if present(answer.Error) && codeOf(answer.Bytes(answer.Error)) == codeNoMethod {
			s.listAlone(nil, reply, member, own)
			return
		}
		reply(s.beside(answer, member, own))
	}, nil)
}

// listAlone answers with the facade's entries, which are one page.
func (s *session) listAlone(params []byte, reply func(wire.Envelope), member string, own []byte) {
	if cursor := memberAt(params, "cursor"); cursor != nil && string(cursor) != "null" {
		reply(s.facade.refuse(refusal{code: codeParams, message: "unknown cursor: this list has one page; ask for it without a cursor", reason: invalid, hint: onePage}))
		return
	}
	reply(resultOf(s.complete(append(append([]byte(`{"`+member+`":[`), own...), "]}"...))))
}

// beside is a page of the upstream's with the facade's entries if it is the last, and without any that the upstream has for an address of the facade's.
func (s *session) beside(answer wire.Envelope, member string, own []byte) wire.Envelope {
	result := answer.Bytes(answer.Result)
	if len(result) == 0 || result[0] != '{' {
		return answer
	}
	if cursor := memberAt(result, "nextCursor"); cursor != nil && string(cursor) != "null" && string(cursor) != `""` {
		own = nil
	}
	page, found := withEach(result, member, func(entries []byte) []byte {
		if entries[0] != '[' {
			s.notes.logf("the upstream's %s are no list: what the facade publishes is not among them", member)
			return entries
		}
		return withElements(entries, own, s.usurps)
	})
	if !found && len(own) > 0 {
		page = withMember(result, append(append([]byte{'['}, own...), ']'), member)
	}
	if bytes.Equal(page, result) {
		return answer
	}
	return s.withResult(answer, page)
}

// usurps reports an entry that the upstream has for an address of the facade's, which it is never asked for.
func (s *session) usurps(entry []byte) (ours bool) {
	if len(entry) == 0 || entry[0] != '{' {
		return false
	}
	eachMember(entry, func(raw, value []byte) {
		if name := decodedName(raw); !alike(name, "uri") && !alike(name, "uriTemplate") {
			return
		}
		if uri, ok := wire.Unquote(value); ok && s.facade.published.Has(uri) {
			ours = true
			s.notes.logf("the server lists a resource %s, which the facade publishes: the server's is left out, and never read", shown(uri))
		}
	})
	return ours
}

// withResult is an answer of the upstream's with another result.
func (s *session) withResult(answer wire.Envelope, result []byte) wire.Envelope {
	frame := append(bytes.Clone(answer.Raw[:answer.Result.Start]), result...)
	e, err := wire.Scan(append(frame, answer.Raw[answer.Result.End:]...))
	if err != nil {
		return s.facade.refuse(refusal{code: codeServer, reason: upstreamTrouble, message: "the upstream's answer cannot be read", hint: "examine the server with `anvil mcp inspect`"})
	}
	return e
}
