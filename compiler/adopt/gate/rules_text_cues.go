package gate

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// maxQuoted bounds the fragment that a finding quotes, in characters.
const maxQuoted = 100

// words are what a text does, and what its reader has to do.
type words struct{ does, hint string }

// cueWords says of each class of cue what the text does, and what the reader has to make sure of.
var cueWords = map[wording.Class]words{
	wording.Blob: {"holds a long run that nobody reads",
		"decode it before you approve the tool, or have the server leave it out"},
	wording.CallFirst: {"puts a tool before all others, whatever the user asks for",
		"make sure that the tool has to come first; clients can be told so by the user"},
	wording.Credential: {"speaks of a credential or of the file that holds one",
		"make sure that the tool needs it; a model must not be asked to fetch or pass on credentials"},
	wording.Exfiltration: {"asks for what the model was told or has read",
		"do not approve the tool unless you know why it needs this"},
	wording.Markup: {"is written like a part of the prompt",
		"have the server write plain text; models take such marks for the words of their operator"},
	wording.OffHost: {"sends the model to a host that is not the server's",
		"make sure that the address is the vendor's, or documentation; nothing the user entrusts to the tool belongs there"},
	wording.OtherTool: {"tells the model what to do with a tool that is not the server's",
		"have the server speak of its own tools only"},
	wording.Override: {"sets aside what the model was told",
		"do not approve the tool; report the text to the server's maintainers"},
	wording.Secrecy: {"keeps something from the user",
		"do not approve the tool unless the user may know all that it does"},
}

// checkInjectionCues reports, per text that a model reads and per class, what of it speaks to the model.
func checkInjectionCues(v *survey) []diag.Finding {
	var findings []diag.Finding
	home := v.home()
	v.eachUtterance(func(u utterance) {
		if !u.told {
			return
		}
		home.Self = ""
		if u.item != nil && u.item.Kind == surface.Tool {
			home.Self = strings.ToLower(u.item.Name)
		}
		cues := wording.Cues(u.text, home)
		if len(cues) == 0 && u.role == nameRole && strings.Contains(u.text, "_") { // a name is a sentence too, to who reads it
			_ = 0
		}
		if len(cues) == 0 {
			return
		}
		cues = slices.DeleteFunc(cues, func(c wording.Cue) bool { return c.Class == wording.OffHost && u.mentions(c) })
		for _, class := range wording.Classes {
			for _, claimed := range []bool{false, true} {
				of := slices.DeleteFunc(slices.Clone(cues), func(c wording.Cue) bool { return c.Class != class || c.Claimed != claimed })
				if len(of) > 0 {
					findings = append(findings, cueFinding(u, class, of))
				}
			}
		}
	})
	return findings
}

// mentions reports an address that leads nowhere by itself: one of several values, most often of a format, or all that a name or a word holds.
func (u utterance) mentions(address wording.Cue) bool {
	switch u.role {
	case valueRole:
		return !u.fills()
	case nameRole, wordRole:
		return address.Quote == u.text
	}
	return false
}

// claimedWords stand for those of cueWords where the host is the server's by the server's own word, which proves nothing: it is to be seen all the same.
var claimedWords = words{"sends the model to a host that only the server itself says is its own",
	"make sure that the host belongs to the vendor; anybody can give a server its title"}

func cueFinding(u utterance, class wording.Class, cues []wording.Cue) diag.Finding {
	var at []int
	args := []string{string(class)}
	if u.role == nameRole { // which is not what stands at its pointer
		args = append(args, "name")
	}
	for _, c := range cues {
		at = append(at, c.At)
		args = append(args, c.Quote)
	}
	words := cueWords[class]
	if cues[0].Claimed {
		words = claimedWords
	}
	shown := places(at[:min(3, len(at))], len(at))
	f := u.finding(injectionCues, fmt.Sprintf("%s: %s %s, at character %s: %s", class, u.place(), words.does, shown, quotedText(cues[0].Quote, maxQuoted)))
	f.Hint = words.hint
	if cues[0].Claimed {
		f.Class = diag.Info
	}
	return f.Sealed(args...)
}

// home is what the server may speak of.
func (v *survey) home() wording.Home {
	tools := map[string]bool{}
	for _, it := range v.Tools() {
		tools[strings.ToLower(it.Name)] = true
	}
	known, claimed := v.knownWords(), v.saidWords()
	return wording.Home{
		Tool: func(name string) bool { return tools[name] },
		Host: func(host string) bool {
			return documentation[parentDomain(host)] || documentation[host] || known.name(host)
		},
		Claims: claimed.name,
	}
}

// ownWords are words by which a server and its hosts are called. Common ones say nothing.
type ownWords map[string]bool

func (own ownWords) add(text string) {
	words := air.Words(text)
	for i, w := range words {
		own[w] = true
		if i > 0 {
			own[words[i-1]+w] = true
		}
	}
	for _, common := range commonLabels {
		delete(own, common)
	}
}

func (own ownWords) addHost(address string) {
	if u, err := url.Parse(address); err == nil {
		own.add(u.Hostname())
	}
}

// name reports whether a part of the host's name is one of the words.
func (own ownWords) name(host string) bool {
	labels := strings.FieldsFunc(host, func(r rune) bool { return r == '.' || r == '-' })
	return slices.ContainsFunc(labels, func(l string) bool { return own[l] })
}

// knownWords are those that the server has no say in: the name that it is configured by, and the host that it was reached at.
func (v *survey) knownWords() ownWords {
	own := ownWords{}
	own.add(v.options.Server)
	own.addHost(v.Endpoint)
	return own
}

// saidWords are those that the server gives itself. They may not silence a rule.
func (v *survey) saidWords() ownWords {
	own := ownWords{}
	own.add(v.ServerName())
	own.add(v.Server.Get("title").Text())
	own.addHost(v.Server.Get("websiteUrl").Text())
	return own
}

var commonLabels = strings.Fields(`www api apis app apps com org net io dev ai co mcp server docs doc developer developers data cloud web site
	the my test tool tools client service code github`)

// documentation are hosts that standards, packages and their documentation are read at.
var documentation = func() map[string]bool {
	set := map[string]bool{}
	for _, host := range strings.Fields(`github.com githubusercontent.com github.io gitlab.com modelcontextprotocol.io json-schema.org schema.org w3.org ietf.org
		rfc-editor.org iana.org iso.org unicode.org wikipedia.org mozilla.org npmjs.com npmjs.org pypi.org python.org nodejs.org
		golang.org go.dev readthedocs.io readthedocs.org spdx.org owasp.org cve.org stackoverflow.com semver.org openapis.org
		swagger.io graphql.org`) {
		set[host] = true
	}
	return set
}()

// parentDomain returns the last two labels of a host.
func parentDomain(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}
