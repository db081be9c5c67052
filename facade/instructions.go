package facade

import (
	"bytes"
	"cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/wire"
)

const instructionsMember = "instructions"

// introduced is the answer to initialize or server/discover without instructions, and without words of the server about itself, that are not those of the pack: a model reads them
// like the text of a tool. An answer with those, or with none, stays as it came, byte for byte, but for what the facade advertises of its own.
func (s *session) introduced(answer wire.Envelope) wire.Envelope {
	result := answer.Bytes(answer.Result)
	if len(result) == 0 || result[0] != '{' {
		return answer
	}
	if own := memberAt(result, "_meta", metaServer); own != nil { // of server/discover
		if info := s.introduction([]byte(`{"` + infoMember + `":` + string(own) + "}")); info != nil {
			answer = s.withResult(answer, withMember(result, info, "_meta", metaServer))
			result = answer.Bytes(answer.Result)
		}
	}
	instructions := s.facade.instructions(result)
	if !instructions {
		s.tellOther("the server's instructions are not those that its tools were approved with: they are left out")
	}
	info := s.introduction(result)
	if instructions && info == nil {
		if advertised := s.advertised(result); !bytes.Equal(advertised, result) {
			return s.withResult(answer, advertised)
		}
		return answer
	}
	kept := memberList{}
	eachMember(result, func(name, value []byte) {
		switch decoded := decodedName(name); {
		case !instructions && alike(decoded, instructionsMember), info != nil && alike(decoded, infoMember):
		default:
			kept.add(name, value)
		}
	})
	if info != nil {
		kept.add([]byte(`"`+infoMember+`"`), info)
	}
	return s.withResult(answer, s.advertised(kept.bytes()))
}

// tellOther logs what is other about the server than when its tools were approved, and how to see it.
func (s *session) tellOther(what string) {
	s.notes.logf("%s; see the change with: anvil mcp diff %s %s", what, diag.ShellPath(s.facade.options.Name+"/snapshot.json"), cmp.Or(s.facade.options.Source, "TARGET"))
}

// instructions reports a result of initialize with the instructions of the pack, or with none.
func (f *Facade) instructions(result []byte) bool {
	given, foreign := 0, false
	eachMember(result, func(name, value []byte) {
		if alike(decodedName(name), instructionsMember) {
			given++
			foreign = foreign || decodedName(name) != instructionsMember || !f.instructs(value)
		}
	})
	return !foreign && given <= 1
}

// instructs reports instructions that say what the pack's say.
func (f *Facade) instructs(live []byte) bool {
	if bytes.Equal(live, f.exposed.Load().Instructions) {
		return true
	}
	now, err := canon.Parse(live)
	if err != nil {
		return false
	}
	was, err := canon.Parse(f.exposed.Load().Instructions)
	if err != nil { // there were none
		return now.Is(canon.Null) || now.Is(canon.String) && now.Text() == ""
	}
	return sameValue(was, now)
}

// sameValue reports a value that says what another says: strings may differ as [surface.SameText] allows.
func sameValue(was, now *canon.Node) bool {
	return canon.Equal(now.Canonical(), was.Canonical()) || now.Is(canon.String) && was.Is(canon.String) && surface.SameText(was.Text(), now.Text())
}
