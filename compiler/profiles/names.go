package profiles

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Naming is how a client names a tool to its model. The zero value names it as the server does.
type Naming struct {
	Prefix    string   `json:"prefix,omitzero"`   // stands before each tool's name; {server} is the configured name, {title} what the server calls itself
	Plugin    string   `json:"plugin,omitzero"`   // the same where a plugin brings the server; {plugin} is its name
	Title     int      `json:"title,omitzero"`    // {title} has at most so many characters, in lower case
	Numbered  bool     `json:"numbered,omitzero"` // of two servers with one prefix the second gets a number
	Dots      string   `json:"dots,omitzero"`     // what a dot in the whole name becomes
	Note      string   `json:"note,omitzero"`
	Sources   []string `json:"sources,omitzero"`
	Confirmed string   `json:"confirmed,omitzero"`
}

// Names are what a server is called: by who configured it, by the plugin that brings it where one does, and by itself.
type Names struct {
	Server string
	Plugin string
	Title  string // its title, or else its name; where it gives none, the configured one counts
	Number int    // above 1: so many servers have the same prefix up to this one
}

// Expose returns the name under which the client shows a tool to its model.
func (p *Profile) Expose(n Names, tool string) string {
	whole, limit := p.Whole(n, tool), p.Max(p.View.Name)
	if limit == 0 || len(whole) <= limit || utf8.RuneCountInString(whole) <= limit {
		return whole
	}
	return string([]rune(whole)[:limit])
}

// Whole returns the name before it is cut.
func (p *Profile) Whole(n Names, tool string) string {
	name := p.Prefix(n) + tool
	if p.Naming.Dots == "" {
		return name
	}
	return strings.ReplaceAll(name, ".", p.Naming.Dots)
}

// Prefix returns what the client puts before the tools' names; "" for nothing.
func (p *Profile) Prefix(n Names) string {
	prefix := p.Naming.Prefix
	if n.Plugin != "" && p.Naming.Plugin != "" {
		prefix = p.Naming.Plugin
	}
	if prefix == "" {
		return ""
	}
	return strings.NewReplacer("{plugin}", n.Plugin, "{server}", n.Server, "{title}", p.title(n)).Replace(prefix)
}

// Counted returns the text whose characters a limit on names counts: the exposed name before it is cut, or what the limit says instead.
func (p *Profile) Counted(l Limit, n Names, tool string) string {
	if l.Counts == "" {
		return p.Whole(n, tool)
	}
	return strings.NewReplacer("{plugin}", n.Plugin, "{server}", n.Server, "{tool}", tool).Replace(l.Counts)
}

// title is what stands for {title}.
func (p *Profile) title(n Names) string {
	if p.Naming.Title == 0 {
		return ""
	}
	var b strings.Builder
	skipped := false
	for _, r := range strings.ToLower(cmp.Or(n.Title, n.Server)) {
		if b.Len() >= p.Naming.Title {
			break
		}
		if taken := 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '.' || r == '-'; taken {
			b.WriteRune(r)
			skipped = false
		} else if !skipped {
			b.WriteByte('_')
			skipped = true
		}
	}
	title, number := b.String(), ""
	if n.Number > 1 {
		number = strconv.Itoa(n.Number)
	}
	return title[:min(len(title), max(0, p.Naming.Title-len(number)))] + number
}

// ServerName is the name that a server gives itself, as it could be configured: people begin with it. "" for one without a name.
func ServerName(own string) string {
	return strings.Map(func(r rune) rune {
		if isWord(r) {
			return r
		}
		return '_'
	}, own)
}

// Room returns how many characters every known client leaves to a tool's own name beside what it puts before it; nothing or less where the
// names of the server take it all.
func (d *Data) Room(n Names) int {
	room := 128
	for _, p := range d.Clients {
		if l, ok := p.Limit("name-length"); ok {
			room = min(room, cmp.Or(l.Best, l.Max)-utf8.RuneCountInString(p.Counted(l, n, "")))
		}
		if limit := p.Max(p.View.Name); limit > 0 {
			room = min(room, limit-utf8.RuneCountInString(p.Whole(n, "")))
		}
	}
	return room
}
