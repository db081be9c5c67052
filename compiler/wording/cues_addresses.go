package wording

import (
	"net/netip"
	"strings"
)

// leading are the verbs that send a model, or what it has, to an address.
var leading = words(`send post upload submit forward transmit report push publish fetch get visit open browse navigate go call curl wget download load
	install run execute follow use connect register contact ping`)

// ledTo reports whether the sentence sends somebody to what begins at byte at: a verb of leading stands among the six words before.
// An address behind "see" or "for example" is there to be read.
func ledTo(text string, at int) bool {
	before := wordsOf(text[max(0, at-80):at])
	for i := len(before) - 1; i >= max(0, len(before)-6); i-- {
		switch w := before[i]; {
		case w.ends, citing[w.text]:
			return false
		case leading[w.text]:
			return true
		}
	}
	return false
}

var citing = words(`see eg e g ie i example examples docs documentation
	reference references like such at specification spec guide learn more details info information format syntax`)

// addresses looks for what leads to hosts, mailboxes and pictures that are not the server's.
func (c *collector) addresses() {
	c.urls()
	if strings.IndexByte(c.text, '@') >= 0 {
		c.mailboxes()
	}
	if strings.Contains(c.text, "](") || strings.Contains(c.text, "<img") {
		c.pictures()
	}
}

// foreign reports a host that is neither the server's nor one that leads nowhere.
func (c *collector) foreign(host string) bool {
	return host != "" && !reservedHost(host) && (c.home.Host == nil || !c.home.Host(host))
}

// urls looks for addresses that the text leads to, with a host that is not the server's own. A text that is nothing but an address leads there too.
func (c *collector) urls() {
	c.each(OffHost, "://", func(at int) int {
		scheme, rest := at, at+len("://")
		for scheme > 0 && c.text[scheme-1] >= 'a' && c.text[scheme-1] <= 'z' && at-scheme < 10 {
			scheme--
		}
		if !networkSchemes[c.text[scheme:at]] {
			return rest
		}
		end := rest
		for end < len(c.text) && partOfURL(c.text[end]) {
			end++
		}
		if host := hostIn(c.text[rest:end]); c.foreign(host) && (scheme == 0 && end == len(c.text) || c.tired() || ledTo(c.text, scheme)) {
			c.addressed(OffHost, host, scheme, end)
		}
		return end
	})
}

// addressed records a cue of a host, which the server may claim.
func (c *collector) addressed(class Class, host string, from, to int) {
	before := len(c.cues)
	c.add(class, from, to)
	for ; before < len(c.cues); before++ {
		c.cues[before].Claimed = c.home.Claims != nil && c.home.Claims(host)
	}
}

// Words of orders to send mail: in front of an address, and behind it.
var (
	mailing = words("bcc cc forward forwards forwarded send email mail copy deliver submit share transfer redirect report recipient recipients")
	mailed  = words("bcc cc recipient recipients copied")
)

// mailboxes looks for orders to send something to an address, or to copy it in.
func (c *collector) mailboxes() {
	read := 0 // up to where the text belongs to an address before
	c.each(Exfiltration, "@", func(at int) int {
		from, to := at, at+1
		for from > read && mailByte(c.text[from-1]) {
			from--
		}
		for to < len(c.text) && mailByte(c.text[to]) {
			to++
		}
		read = to
		host := strings.Trim(c.text[at+1:to], ".-_+%")
		if from == at || !strings.Contains(host, ".") || !c.foreign(host) {
			return to
		}
		if c.tired() {
			c.addressed(Exfiltration, host, from, at+1+len(host))
			return to
		}
		before, after := sentenceAround(c.text, from, to)
		if !anyOf(before, citing) && !asksFor(c.text[from:at], before, after) && (sendsMail(before) || anyOf(after, mailed)) {
			c.addressed(Exfiltration, host, from, at+1+len(host))
		}
		return to
	})
}

func mailByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || strings.IndexByte(".-_+%", b) >= 0
}

// Mailboxes of a vendor, what is written to them, and what follows their address where a person is told to write.
var (
	roleMailbox = words("support sales help info contact feedback security bugs hello team admin billing privacy legal press")
	reports     = words("bug bugs feedback questions question issues problems")
	writing     = words("email mail contact e-mail")
	onOccasion  = words("for if when with")
)

// asksFor reports a mailbox that people are told to write to: "email support@company.com for access".
func asksFor(mailbox string, before, after []word) bool {
	last := len(before) - 1
	if !roleMailbox[mailbox] || last < 0 {
		return false
	}
	return anyOf(before, reports) || writing[before[last].text] && (len(after) == 0 || onOccasion[after[0].text])
}

func sendsMail(before []word) bool {
	for i, w := range before {
		if mailing[w.text] && !forbidsNext(before[:i]) {
			return true
		}
	}
	return false
}

// pictures looks for pictures and links whose address is to be filled in with something: whoever shows them sends it there.
func (c *collector) pictures() {
	c.each(Exfiltration, "](", func(at int) int {
		before := max(0, at-maxPicture)
		open := before + max(0, strings.LastIndexByte(c.text[before:at], '['))
		shows := open > 0 && c.text[open-1] == '!'
		if shows {
			open--
		}
		return c.picture(open, at+len("]("), ")", shows)
	})
	c.each(Exfiltration, "<img", func(at int) int { return c.picture(at, at+len("<img"), ">", true) })
}

// picture records the picture or link that begins at from when its address, from at to what closes it, takes something along. A link has to say what.
func (c *collector) picture(from, at int, closes string, shows bool) (end int) {
	inside, _, _ := strings.Cut(c.text[at:min(len(c.text), at+maxPicture)], closes)
	end = min(len(c.text), at+len(inside)+len(closes))
	_, rest, _ := strings.Cut(inside, "//")
	filled := strings.ContainsAny(rest, "{}<>$[") || strings.Contains(rest, "%s")
	query := strings.Contains(rest, "?")
	if host := hostIn(rest); c.foreign(host) && (query && filled || shows && (query || filled)) {
		c.addressed(Exfiltration, host, from, end)
	}
	return end
}

// maxPicture bounds the address of a picture, in bytes.
const maxPicture = 600

var networkSchemes = words("hxxp hxxps http https ws wss ftp sftp ssh tcp")

func partOfURL(c byte) bool {
	return c > ' ' && c < 0x7F && strings.IndexByte("\"'`<>()[]{}|\\^,", c) < 0
}

// hostIn returns the host of what follows "://"; "" when there is none that a name server would know.
func hostIn(rest string) string {
	host := hostPart(rest)
	host = strings.Trim(host, ".;!?*")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "$%") {
		return ""
	}
	return host
}

// hostPart cuts user, port and path off.
func hostPart(rest string) string {
	host := rest
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if user := strings.LastIndexByte(host, '@'); user >= 0 {
		host = host[user+1:]
	}
	if port := strings.IndexByte(host, ':'); port >= 0 {
		host = host[:port]
	}
	return host
}

// reservedHost reports a host that leads nowhere: names kept for examples (RFC 2606, RFC 6761), and addresses of the machine or its network.
func reservedHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified()
	}
	for _, name := range []string{"example.com", "example.org", "example.net", "localhost", "example", "test", "invalid", "local", "internal"} {
		if host == name || strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	return false
}
