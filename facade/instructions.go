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

// instructed is the answer to initialize without instructions that are not those of the pack, since a model reads them like the text of a tool. An answer
// with those, or with none, stays as it came, byte for byte.
func (s *session) instructed(answer wire.Envelope) wire.Envelope {
	result := answer.Bytes(answer.Result)
	if len(result) == 0 || result[0] != '{' {
		return answer
	}
	given, foreign := 0, false
	kept := []byte{'{'}
	eachMember(result, func(name, value []byte) {
		if alike(decodedName(name), instructionsMember) {
			given++
			foreign = foreign || decodedName(name) != instructionsMember || !s.facade.instructs(value)
			return
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(kept, name...), ':'), value...)
	})
	if !foreign && given <= 1 {
		return answer
	}
	s.notes.logf("the server's instructions are not those that its tools were approved with: they are left out; see the change with: anvil mcp diff %s %s",
		diag.ShellPath(s.facade.options.Name+"/snapshot.json"), cmp.Or(s.facade.options.Source, "TARGET"))
	frame := append(bytes.Clone(answer.Raw[:answer.Result.Start]), append(kept, '}')...)
	cut, err := wire.Scan(append(frame, answer.Raw[answer.Result.End:]...))
	if err != nil {
		return s.facade.refuse(refusal{code: codeServer, reason: upstreamTrouble, message: "the upstream's answer to initialize cannot be read"})
	}
	return cut
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
	return canon.Equal(now.Canonical(), was.Canonical()) || now.Is(canon.String) && was.Is(canon.String) && surface.SameText(was.Text(), now.Text())
}
