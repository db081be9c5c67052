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

// cueWords says of each class of cue what the text does, and what the reader has to make sure of.
var cueWords = map[wording.Class]struct{ does, hint string }{
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
		if u.role != textRole && u.role != valueRole {
			return
		}
		home.Self = ""
		if u.item != nil && u.item.Kind == surface.Tool {
			home.Self = strings.ToLower(u.item.Name)
		}
		cues := wording.Cues(u.text, home)
		if u.role == valueRole && !u.fills() { // one of several values, most often of a format
			cues = slices.DeleteFunc(cues, func(c wording.Cue) bool { return c.Class == wording.OffHost })
		}
		for _, class := range wording.Classes {
			of := slices.DeleteFunc(slices.Clone(cues), func(c wording.Cue) bool { return c.Class != class })
			if len(of) > 0 {
				findings = append(findings, cueFinding(u, class, of))
			}
		}
	})
	return findings
}

func cueFinding(u utterance, class wording.Class, cues []wording.Cue) diag.Finding {
	var at []int
	args := []string{string(class)}
	for _, c := range cues {
		at = append(at, c.At)
		args = append(args, c.Quote)
	}
	words := cueWords[class]
	shown := places(at[:min(3, len(at))], len(at))
	f := u.finding(injectionCues, fmt.Sprintf("%s: %s %s, at character %s: %s", class, u.place(), words.does, shown, quotedText(cues[0].Quote, maxQuoted)))
	f.Hint = words.hint
	return f.Sealed(args...)
}

// home is what the server may speak of.
func (v *survey) home() wording.Home {
	tools := map[string]bool{}
	for _, it := range v.Tools() {
		tools[strings.ToLower(it.Name)] = true
	}
	names := v.ownWords()
	return wording.Home{
		Tool: func(name string) bool { return tools[name] },
		Host: func(host string) bool {
			labels := strings.FieldsFunc(host, func(r rune) bool { return r == '.' || r == '-' })
			return documentation[parentDomain(host)] || documentation[host] || slices.ContainsFunc(labels, func(l string) bool { return names[l] })
		},
	}
}

// ownWords are the words by which the server and its hosts are called. Common ones say nothing.
func (v *survey) ownWords() map[string]bool {
	own := map[string]bool{}
	add := func(text string) {
		words := air.Words(text)
		for i, w := range words {
			own[w] = true
			if i > 0 {
				own[words[i-1]+w] = true
			}
		}
	}
	add(v.ServerName())
	add(v.server)
	add(v.Server.Get("title").Text())
	for _, address := range []string{v.Endpoint, v.Server.Get("websiteUrl").Text()} {
		if u, err := url.Parse(address); err == nil {
			add(u.Hostname())
		}
	}
	for _, common := range commonLabels {
		delete(own, common)
	}
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
