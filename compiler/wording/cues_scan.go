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

// urls looks for addresses that the text leads to, with a host that is not the server's own. A text that is nothing but an address leads there too.
func (c *collector) urls(home Home) {
	for i := 0; c.count[OffHost] < maxCues; {
		found := strings.Index(c.text[i:], "://")
		if found < 0 {
			return
		}
		at := i + found
		i = at + len("://")
		scheme := at
		for scheme > 0 && c.text[scheme-1] >= 'a' && c.text[scheme-1] <= 'z' && at-scheme < 10 {
			scheme--
		}
		if !networkSchemes[c.text[scheme:at]] {
			continue
		}
		end := i
		for end < len(c.text) && partOfURL(c.text[end]) {
			end++
		}
		host := hostIn(c.text[i:end])
		i = end
		if host == "" || reservedHost(host) || home.Host != nil && home.Host(host) || !(scheme == 0 && end == len(c.text)) && !ledTo(c.text, scheme) {
			continue
		}
		before := len(c.cues)
		c.add(OffHost, scheme, end)
		for ; before < len(c.cues); before++ {
			c.cues[before].Claimed = home.Claims != nil && home.Claims(host)
		}
	}
}

var networkSchemes = words("http https ws wss ftp sftp ssh tcp")

func partOfURL(c byte) bool {
	return c > ' ' && c < 0x7F && strings.IndexByte("\"'`<>()[]{}|\\^,", c) < 0
}

// hostIn returns the host of what follows "://"; "" when there is none that a name server would know.
func hostIn(rest string) string {
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
	host = strings.Trim(host, ".;!?*")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "$%") {
		return ""
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

// Bounds of a run that nobody reads: a digest of 512 bits in hex is shorter.
const (
	minBase64 = 160
	minHex    = 140
)

// blobs looks for long runs of base64 or hex. A run of base64 has capital and small letters and digits mixed, which long paths and words have not;
// the folded text has lost the capitals, so the text before folding is read.
func (c *collector) blobs() {
	text, places := c.source, []int32(nil)
	if c.at != nil {
		text, places = shown(c.source)
	}
	start, first, n := 0, 0, 0 // byte and character where the run begins, characters read
	end := func(i int) {
		if run := text[start:i]; c.count[Blob] < maxCues && isBlob(run) {
			at := first
			if places != nil {
				at = int(places[first])
			}
			c.count[Blob]++
			c.cues = append(c.cues, Cue{Class: Blob, At: at, Quote: run})
		}
	}
	for i, r := range text {
		n++
		if r >= 0x7F || !base64Byte(byte(r)) {
			end(i)
			start, first = i+len(string(r)), n
		}
	}
	end(len(text))
}

func base64Byte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '=' || b == '-' || b == '_'
}

func isBlob(run string) bool {
	if len(run) < minHex {
		return false
	}
	var upper, lower, digits, hex int
	for i := range len(run) {
		b := run[i]
		switch {
		case b >= '0' && b <= '9':
			digits++
		case b >= 'a' && b <= 'z':
			lower++
		case b >= 'A' && b <= 'Z':
			upper++
		}
		if b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			hex++
		}
	}
	some := len(run) / 20
	if hex == len(run) {
		return digits > some && lower+upper > some
	}
	return len(run) >= minBase64 && upper > 2*some && lower > 2*some && digits > some
}
