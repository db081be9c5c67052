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

func checkNameCharset(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(nameCharset) {
		pattern := compiled(a.limit.Pattern)
		if f, ok := v.badServerName(a, pattern); ok {
			findings = append(findings, f)
		}
		// The prefix of a server whose name is in order makes nothing worse, and what is wrong with the name is not the tool's fault.
		prefix := a.profile.Prefix(profiles.Names{Server: "s"})
		for _, it := range v.named() {
			exposed := prefix + it.Name
			if pattern.MatchString(exposed) {
				continue
			}
			f := about(nameCharset, it, "/name", fmt.Sprintf("tool name %s %s", called(it.Name), charsetFault(pattern, exposed, it.Name)), it.Node.Get("name"))
			findings = append(findings, a.judge(v.rename(f)).Sealed())
		}
	}
	return findings
}

// badServerName reports a configured name that clients cannot put before a tool's.
func (v *survey) badServerName(a axis, pattern *regexp.Regexp) (diag.Finding, bool) {
	put := a.profile.Prefix(profiles.Names{Server: "\x00", Plugin: "\x01"})
	for i, name := range []string{v.options.Server, v.options.Plugin} {
		if name == "" || !strings.Contains(put, string(rune(i))) || pattern.MatchString("x"+name) {
			continue
		}
		f := nameCharset.Finding("server", fmt.Sprintf("the configured name %s %s, and clients put it before each tool's", called(name), charsetFault(pattern, "x"+name, name)))
		f.Hint = fmt.Sprintf("configure it as %q", profiles.Alias("", name, serverNameRoom))
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
		names := v.leastNames()
		beside, advised := a.charactersBeside(names), cmp.Or(a.limit.Best, a.limit.Max)
		for _, it := range v.named() {
			n := beside + utf8.RuneCountInString(it.Name)
			if n >= a.limit.Min && n <= advised {
				continue
			}
			text := a.profile.Counted(a.limit, names, it.Name)
			f := v.rename(about(nameLength, it, "/name", v.lengthMessage(a.limit, it.Name, text, n), it.Node.Get("name")))
			if n > advised && n <= a.limit.Max {
				f = a.advise(f, diag.Warning)
			} else {
				f = a.judge(f)
			}
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
	limit, own := cmp.Or(a.limit.Best, a.limit.Max), v.names()
	beside, least := a.charactersBeside(own), a.charactersBeside(v.leastNames())
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
		called(own.Server), longest, called(name), count, limit))
	f.Hint = fmt.Sprintf("configure the server under a name of at most %d characters", len(own.Server)-(longest-limit))
	return []diag.Finding{a.advise(f, diag.Info).Sealed(name, fmt.Sprint(longest))}
}

// charactersBeside is how many characters a client counts beside a tool's own.
func (a axis) charactersBeside(n profiles.Names) int {
	return utf8.RuneCountInString(a.profile.Counted(a.limit, n, ""))
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

// commonCut is how many characters of a name are left by those who cut it for the models' APIs, most of which take no more.
const commonCut = 64

// checkTruncation reports names that are one and the same once they are cut: by each client that is known to cut, and, on no axis, by whoever cuts at
// what most APIs take. An API that refuses long names cuts nothing, and neither does a client that leaves them out.
func checkTruncation(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(truncationCollision) {
		names := v.leastNames()
		findings = append(findings, v.cutAlike(a.limit.Max, func(name string) string { return a.profile.Counted(a.limit, names, name) }, a.judge)...)
	}
	return append(findings, v.cutAlike(commonCut, func(name string) string { return name }, func(f diag.Finding) diag.Finding { return f })...)
}

// cutAlike reports tools that whoever cuts their names, as they are shown, at limit characters shows under the name of another.
func (v *survey) cutAlike(limit int, shown func(name string) string, judge func(diag.Finding) diag.Finding) []diag.Finding {
	var findings []diag.Finding
	first := map[string]string{} // the name that a text had first
	for _, it := range v.named() {
		text := shown(it.Name)
		how := "are both shown"
		if len(text) > limit && utf8.RuneCountInString(text) > limit {
			text, how = string([]rune(text)[:limit]), fmt.Sprintf("are the same once they are cut to %d characters,", limit)
		}
		other, taken := first[text]
		if !taken {
			first[text] = it.Name
		}
		if !taken || other == it.Name {
			continue
		}
		f := about(truncationCollision, it, "/name", fmt.Sprintf("tool names %s and %s %s as %s", called(other), called(it.Name), how, called(text)), it.Node.Get("name"))
		findings = append(findings, judge(v.rename(f)).Sealed(other))
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
