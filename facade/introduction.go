package facade

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"anvil/compiler/canon"
)

const (
	infoMember  = "serverInfo"
	infoName    = "name"
	infoVersion = "version"
)

// introduction is the serverInfo to be sent in the place of what a result of initialize has; nil where that says nothing but what the pack says, or is not there.
// Of other words none are passed. The protocol wants a name and a version: the name is the one that the tools were approved under, and the version may move.
func (s *session) introduction(result []byte) []byte {
	var given [][]byte
	foreign := false
	eachMember(result, func(name, value []byte) {
		if decoded := decodedName(name); alike(decoded, infoMember) {
			given = append(given, value)
			foreign = foreign || decoded != infoMember
		}
	})
	if len(given) == 0 {
		return nil
	}
	approved, _ := canon.Parse(s.facade.exposed.Load().Server)
	info, other, renamed := introduce(approved, given[0], s.facade.options.Service)
	if renamed != "" {
		s.tellOther(fmt.Sprintf("the server calls itself %s, and its tools were approved of %s: it is served under that name", shown(renamed), shown(approved.Get(infoName).Text())))
	}
	if other = other || foreign || len(given) > 1; other {
		s.tellOther("what the server says of itself (serverInfo) is not what its tools were approved with: other words are left out")
	}
	if renamed == "" && !other {
		return nil
	}
	return info
}

// introduce makes of a live serverInfo one with the approved words alone; service stands for a name where none was approved. other reports that something was left
// out, and renamed is the name that the server gives itself, where it is another one.
func introduce(approved *canon.Node, live []byte, service string) (info []byte, other bool, renamed string) {
	kept, seen := memberList{}, map[string]bool{}
	now, err := canon.Parse(live)
	if err != nil || !now.IsObject() {
		now, other = nil, true
	}
	if now != nil {
		eachMember(live, func(raw, value []byte) {
			name := decodedName(raw)
			is, err := canon.Parse(value)
			same := err == nil && !is.Repeats() && !seen[name] && approved.Get(name) != nil && sameValue(approved.Get(name), is)
			switch {
			case same || err == nil && !seen[name] && name == infoVersion && isVersion(is.Text()):
				seen[name] = true
				kept.add(raw, value)
			case name == infoName && err == nil && is.Text() != "":
				renamed = is.Text()
			default:
				other = true
			}
		})
	}
	for _, name := range []string{infoName, infoVersion} {
		if !seen[name] {
			kept.add(canon.Quote(name), canon.Quote(cmp.Or(approved.Get(name).Text(), service, "unknown")))
		}
	}
	return kept.bytes(), other, renamed
}

// maxVersion bounds a version, in bytes.
const maxVersion = 64

// isVersion reports a text that is a version and says nothing else.
func isVersion(text string) bool {
	return text != "" && len(text) <= maxVersion && strings.ContainsAny(text, "0123456789") && !strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("0123456789.+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", r)
	})
}

// memberList is an object in the making, of members as they came.
type memberList struct{ members [][]byte }

func (o *memberList) add(name, value []byte) {
	o.members = append(o.members, bytes.Join([][]byte{name, value}, []byte{':'}))
}

func (o *memberList) bytes() []byte {
	return append(append([]byte{'{'}, bytes.Join(o.members, []byte{','})...), '}')
}
