package profiles

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
)

// aliasHash is how many hex digits of its name's digest an alias ends in.
const aliasHash = 8

// MinAlias is the least max with which an [Alias] still shows something of the name.
const MinAlias = aliasHash + 4

// Alias returns the name under which a tool of a server can be shown where its own is refused: at most max characters, ASCII letters, digits, "_"
// and "-", a letter or "_" in front, which every client takes. It depends on server, name and max alone, and is never the name itself: it ends in
// "_" and eight hex digits of the digest of both names, so that two that are cut or spelled alike stay two, and so do tools of one name on two
// servers. Below [MinAlias] characters it is a letter and as many digits as fit, and nothing at all when max is not positive.
func Alias(server, name string, max int) string {
	if max <= 0 {
		return ""
	}
	base := legal(name)
	hash := strings.TrimPrefix(canon.Digest([]byte(server), []byte{0}, []byte(name)), "sha256:")[:aliasHash]
	if max < MinAlias {
		return ("t" + hash)[:min(max, aliasHash+1)]
	}
	if room := max - aliasHash - 1; len(base) > room {
		base = base[:room]
	}
	return strings.TrimRight(base, "_-") + "_" + hash
}

// legal returns name with one "_" for each run of characters that some client refuses; never empty.
func legal(name string) string {
	var b strings.Builder
	skipped := false
	for _, r := range name {
		if !isWord(r) {
			skipped = true
			continue
		}
		if skipped && b.Len() > 0 {
			b.WriteByte('_')
		}
		skipped = false
		b.WriteRune(r)
	}
	base := b.String()
	if strings.Trim(base, "_-") == "" {
		return "tool"
	}
	if c := base[0]; c == '-' || '0' <= c && c <= '9' {
		return "t" + base
	}
	return base
}

func isWord(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

// isAlias reports whether name has the shape of an alias within max, so that what Alias makes is never another tool's own name.
func isAlias(name string, max int) bool {
	lead, digits := "_", aliasHash
	if max < MinAlias {
		lead, digits = "t", min(max, aliasHash+1)-1
	}
	at := len(name) - digits
	return at > 0 && name[at-1:at] == lead && strings.Trim(name[at:], "0123456789abcdef") == "" && (max >= MinAlias || at == 1)
}

// Aliases is the table of the names of a server's tools and their aliases: one for each, there and back. It is not changed once it is made, and
// safe for concurrent use.
type Aliases struct{ alias, name map[string]string }

// NewAliases makes the table for a server's names, which may have max characters each; a name that is given twice counts once. A name keeps
// itself as its alias when it is fine, does not look like an alias and is not among those that meet another: needed reports those, and may be
// nil. It fails when two names have one alias, which takes a max that is too small, or somebody who looks for two names with one hash.
func NewAliases(server string, names []string, max int, needed func(name string) bool) (*Aliases, error) {
	t := &Aliases{alias: map[string]string{}, name: map[string]string{}}
	for _, name := range names {
		alias := name
		if len(name) > max || legal(name) != name || isAlias(name, max) || needed != nil && needed(name) {
			alias = Alias(server, name, max)
		}
		if other, taken := t.name[alias]; taken && other != name {
			return nil, fmt.Errorf("tools %q and %q have one alias within %d characters: rename one of them", other, name, max)
		}
		t.alias[name], t.name[alias] = alias, name
	}
	return t, nil
}

// Alias returns the alias of a name of the table.
func (t *Aliases) Alias(name string) (string, bool) {
	alias, ok := t.alias[name]
	return alias, ok
}

// Name returns the name that has the alias.
func (t *Aliases) Name(alias string) (string, bool) {
	name, ok := t.name[alias]
	return name, ok
}
