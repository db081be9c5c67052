package profiles

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// Expose returns the name under which the client shows a tool to its model. plugin is empty where no plugin brings the server.
func (p *Profile) Expose(plugin, server, tool string) string {
	prefix := p.Prefix
	if plugin != "" && p.Plugin != "" {
		prefix = p.Plugin
	}
	return fill(prefix, plugin, server, "") + tool
}

// Counted returns the text whose characters a limit on names counts: the exposed name, or what the limit says instead.
func (p *Profile) Counted(l Limit, plugin, server, tool string) string {
	if l.Counts == "" {
		return p.Expose(plugin, server, tool)
	}
	return fill(l.Counts, plugin, server, tool)
}

func fill(pattern, plugin, server, tool string) string {
	return strings.NewReplacer("{plugin}", plugin, "{server}", server, "{tool}", tool).Replace(pattern)
}

// Room returns how many characters every known client leaves to a tool's own name beside what it puts before it; nothing or less where the
// names of plugin and server take it all.
func (d *Data) Room(plugin, server string) int {
	room := 128
	for _, p := range d.Clients {
		if l, ok := p.Limit("name-length"); ok {
			limit := l.Max
			if l.Best > 0 {
				limit = l.Best
			}
			room = min(room, limit-utf8.RuneCountInString(p.Counted(l, plugin, server, "")))
		}
	}
	return room
}

// aliasHash is how many hex digits of its name's digest an alias ends in.
const aliasHash = 8

// MinAlias is the least max with which an [Alias] still shows something of the name.
const MinAlias = aliasHash + 4

// Alias returns the name under which a tool can be shown where its own is refused: at most max characters, ASCII letters, digits, "_" and "-",
// a letter or "_" in front, which every client takes. It depends on name and max alone. A name that is fine stays itself, unless it looks like
// an alias already; all others end in "_" and eight hex digits of the name's digest, so that two names that are cut alike stay two. Below
// [MinAlias] characters it is a letter and as many digits as fit, and nothing at all when max is not positive.
func Alias(name string, max int) string {
	if max <= 0 {
		return ""
	}
	base := legal(name)
	if base == name && len(name) <= max && !isAlias(name, max) {
		return name
	}
	hash := strings.TrimPrefix(canon.Digest([]byte(name)), "sha256:")[:aliasHash]
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

// Aliases is a table of names and their aliases. It is not changed once it is made, and safe for concurrent use.
type Aliases struct{ alias, name map[string]string }

// NewAliases makes the table for names that may have max characters each; a name that is given twice counts once. It fails when two names have
// one alias, which takes a max that is too small, or somebody who looks for two names with one hash.
func NewAliases(names []string, max int) (*Aliases, error) {
	t := &Aliases{alias: map[string]string{}, name: map[string]string{}}
	for _, name := range names {
		alias := Alias(name, max)
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
