package gate

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
)

// prefixServer is the server's name as clients put it before a tool's. Where none is configured it is one character: what is too long then is
// too long under any name.
func (v *survey) prefixServer() string { return cmp.Or(v.options.Server, "s") }

// ownName is the name that the server gives itself, as it could be configured.
func (v *survey) ownName() string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, v.server)
}

// aliasHint names the smallest fix of a name that some client refuses: one that all of them take.
func (v *survey) aliasHint(name string) string {
	server := cmp.Or(v.options.Server, v.ownName())
	room := profiles.All().Room(v.options.Plugin, server)
	if room < profiles.MinAlias {
		return fmt.Sprintf("configure the server under a shorter name: beside %s clients leave a tool %d characters", called(server), max(room, 0))
	}
	return fmt.Sprintf("rename it in the server; every client takes %q", profiles.Alias(name, room))
}

func checkNameCharset(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(nameCharset) {
		pattern := compiled(a.limit.Pattern)
		if f, ok := v.badServerName(a, pattern); ok {
			findings = append(findings, f)
		}
		// The prefix of a server whose name is in order makes nothing worse, and what is wrong with the name is not the tool's fault.
		prefix := a.profile.Expose("", "s", "")
		for _, it := range v.named() {
			exposed := prefix + it.Name
			if pattern.MatchString(exposed) {
				continue
			}
			f := about(nameCharset, it, "/name", fmt.Sprintf("tool name %s %s", called(it.Name), charsetFault(pattern, exposed, it.Name)), it.Node.Get("name"))
			f.Hint = v.aliasHint(it.Name)
			findings = append(findings, a.judge(f).Sealed())
		}
	}
	return findings
}

// badServerName reports a configured name that clients cannot put before a tool's.
func (v *survey) badServerName(a axis, pattern *regexp.Regexp) (diag.Finding, bool) {
	for _, name := range []string{v.options.Server, v.options.Plugin} {
		if name == "" || a.profile.Prefix == "" || pattern.MatchString("x"+name) {
			continue
		}
		f := nameCharset.Finding("server", fmt.Sprintf("the configured name %s %s, and clients put it before each tool's", called(name), charsetFault(pattern, "x"+name, name)))
		f.Hint = fmt.Sprintf("configure it as %q", profiles.Alias(name, serverNameRoom))
		return a.judge(f).Sealed(name), true
	}
	return diag.Finding{}, false
}

// serverNameRoom is how long the name of a server is that is proposed: half of what the strictest client leaves to server and tool.
const serverNameRoom = 30

// charsetFault says which characters of exposed the pattern does not take, or that only the first is wrong where it stands.
func charsetFault(pattern *regexp.Regexp, exposed, name string) string {
	var wrong []string
	seen := map[rune]bool{}
	for _, r := range exposed {
		if !seen[r] && !pattern.MatchString("x"+string(r)) {
			wrong = append(wrong, fmt.Sprintf("%+q", string(r)))
		}
		seen[r] = true
	}
	if len(wrong) == 0 {
		first, _ := utf8.DecodeRuneInString(name)
		return fmt.Sprintf("begins with %+q, where a letter or an underscore is wanted", string(first))
	}
	if rest := len(wrong) - maxCharacters; rest > 0 {
		wrong = append(wrong[:maxCharacters], fmt.Sprintf("and %d more", rest))
	}
	return "has characters that are not taken: " + strings.Join(wrong, " ")
}

// maxCharacters bounds how many characters a message lists.
const maxCharacters = 8

func checkNameLength(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(nameLength) {
		findings = append(findings, v.longUnderOwnName(a)...)
		beside, advised := v.charactersBeside(a, v.prefixServer()), cmp.Or(a.limit.Best, a.limit.Max)
		for _, it := range v.named() {
			n := beside + utf8.RuneCountInString(it.Name)
			if n >= a.limit.Min && n <= advised {
				continue
			}
			text := a.profile.Counted(a.limit, v.options.Plugin, v.prefixServer(), it.Name)
			f := a.judge(about(nameLength, it, "/name", v.lengthMessage(a.limit, it.Name, text, n), it.Node.Get("name")))
			if n > advised && n <= a.limit.Max {
				f.Class = a.atMost(diag.Warning)
			}
			f.Hint = v.aliasHint(it.Name)
			findings = append(findings, f.Sealed(fmt.Sprint(n)))
		}
	}
	return findings
}

// longUnderOwnName tells, where no name is configured, how long one may be: the server's own is what people begin with.
func (v *survey) longUnderOwnName(a axis) []diag.Finding {
	if v.options.Server != "" {
		return nil
	}
	limit, own := cmp.Or(a.limit.Best, a.limit.Max), v.ownName()
	beside, least := v.charactersBeside(a, own), v.charactersBeside(a, v.prefixServer())
	count, longest, name := 0, 0, ""
	for _, it := range v.named() {
		n := beside + utf8.RuneCountInString(it.Name)
		if n <= limit || n-beside+least > limit {
			continue
		}
		if count++; n > longest {
			longest, name = n, it.Name
		}
	}
	if count == 0 {
		return nil
	}
	f := nameLength.Finding("server", fmt.Sprintf("configured as %s, the server's tools have names of up to %d characters, %s as the longest, and %d of them more than %d",
		called(own), longest, called(name), count, limit))
	f.Hint = fmt.Sprintf("configure the server under a name of at most %d characters", len(own)-(longest-limit))
	f = a.judge(f)
	f.Class = diag.Info
	return []diag.Finding{f.Sealed(name, fmt.Sprint(longest))}
}

// charactersBeside is how many characters a client counts beside a tool's own.
func (v *survey) charactersBeside(a axis, server string) int {
	return utf8.RuneCountInString(a.profile.Counted(a.limit, v.options.Plugin, server, ""))
}

func (v *survey) lengthMessage(l profiles.Limit, name, text string, n int) string {
	words := fmt.Sprintf("tool name %s has %d characters", called(name), n)
	switch {
	case text != name && v.options.Server == "":
		words = fmt.Sprintf("tool name %s comes to %d characters or more behind the name of a server", called(name), n)
	case text != name:
		words = fmt.Sprintf("tool name %s comes to %d characters as %s", called(name), n, called(text))
	}
	switch {
	case n < l.Min:
		return fmt.Sprintf("%s; at least %d are wanted", words, l.Min)
	case n <= l.Max:
		return fmt.Sprintf("%s; no more than %d are advised: %s", words, l.Best, cmp.Or(l.Note, "some paths take no more"))
	}
	return fmt.Sprintf("%s; at most %d are taken", words, l.Max)
}

// checkTruncation reports names that are one and the same once a client has cut them. The protocol cuts nothing, and a client that counts in a
// way of its own leaves long names out.
func checkTruncation(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(nameLength) {
		if a.limit.Counts != "" || !strings.HasPrefix(a.profile.Axis(), profiles.ClientAxis) {
			continue
		}
		first := map[string]string{} // the name that a cut text had first
		prefix := a.profile.Expose(v.options.Plugin, v.prefixServer(), "")
		cut := func(name string) (text string, long bool) {
			text = prefix + name
			if len(text) <= a.limit.Max || utf8.RuneCountInString(text) <= a.limit.Max {
				return text, false
			}
			return string([]rune(text)[:a.limit.Max]), true
		}
		for _, it := range v.named() { // by name: what is cut off stands behind what it could equal
			text, long := cut(it.Name)
			other, taken := first[text]
			if !taken {
				first[text] = it.Name
			}
			if !taken || !long || other == it.Name {
				continue
			}
			f := about(truncationCollision, it, "/name", fmt.Sprintf("tool names %s and %s are the same once they are cut to %d characters, as %s",
				called(other), called(it.Name), a.limit.Max, called(text)), it.Node.Get("name"))
			f.Hint = v.aliasHint(it.Name)
			findings = append(findings, a.judge(f).Sealed(other))
		}
	}
	return findings
}

// compiled keeps the expressions of the profiles, which are few and read without error.
func compiled(pattern string) *regexp.Regexp {
	if known, ok := patterns.Load(pattern); ok {
		return known.(*regexp.Regexp)
	}
	p := regexp.MustCompile(pattern)
	patterns.Store(pattern, p)
	return p
}

var patterns sync.Map
