package wording

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"anvil/internal/lazy"
)

// Secret is a credential that stands in a text.
type Secret struct {
	Kind     string // "GitHub token"
	At       int    // offset in characters
	Value    string // raw: never to be shown, see [Mask]
	from, to int
}

const privateKey = "private key"

// minPEM is the least that stands behind the heading of a private key, in bytes.
const minPEM = 60

// pem measures what belongs to a private key behind its heading, up to the next five dashes; 0 when that is no key.
func pem(text string) int {
	n, body := 0, 0
	text, _, _ = strings.Cut(text[:min(len(text), maxKey)], "-----")
	for n < len(text) && (keyByte(text[n]) || strings.IndexByte("+/=\\:, \t\r\n", text[n]) >= 0) {
		if keyByte(text[n]) {
			body++
		}
		n++
	}
	if body < minPEM {
		return 0
	}
	return n
}

// maxKey bounds the stretch in which one key is looked for, in bytes.
const maxKey = 16 << 10

// maxSecrets bounds how many secrets of one text are reported.
const maxSecrets = 20

// Secrets returns the credentials in text, by place: keys in the format of a well-known issuer, passwords in addresses, and values of high
// entropy that are assigned to a name of a secret ("api_key: ..."). What is written to be replaced is none.
func Secrets(text string) []Secret {
	var found []Secret
	add := func(kind string, from, to int) {
		overlaps := slices.ContainsFunc(found, func(s Secret) bool { return from < s.to && s.from < to })
		if len(found) < maxSecrets && !overlaps && !standsFor(kind, text[from:to]) {
			found = append(found, Secret{Kind: kind, Value: text[from:to], from: from, to: to})
		}
	}
	long := hasLongRun(text)
	for _, f := range formats {
		if long || f.kind == privateKey {
			f.find(text, add)
		}
	}
	if long {
		botTokens(text, add)
	}
	inConnections(text, add)
	inAddresses(text, add)
	if long {
		assigned(text, add)
	}
	slices.SortFunc(found, func(a, b Secret) int { return a.from - b.from })
	n, at := 0, 0
	for i := range found {
		n += utf8.RuneCountInString(text[at:found[i].from])
		at, found[i].At = found[i].from, n
	}
	return found
}

func (f format) find(text string, add func(kind string, from, to int)) {
	if f.pattern == nil {
		return
	}
	for i := 0; ; {
		at := strings.Index(text[i:], f.begins)
		if at < 0 {
			return
		}
		at += i
		i = at + len(f.begins)
		if at > 0 && keyByte(text[at-1]) {
			continue
		}
		m := f.pattern.FindString(text[at:min(len(text), at+f.reach())])
		end := at + len(m)
		if m != "" && f.kind == privateKey {
			n := pem(text[end:])
			if end += n; n == 0 {
				continue
			}
		}
		if m != "" {
			add(f.kind, at, end)
			i = end
		}
	}
}

// minRun is less than any key has in a row, but for a private one, and what [Random] asks for.
const minRun = 16

// hasLongRun reports a run of minRun bytes of which keys and assigned values are made. Most texts have none, and need not be searched for each format.
func hasLongRun(text string) bool {
	for at := minRun - 1; at < len(text); at += minRun { // a run that long covers one of these
		if !runByte[text[at]] {
			continue
		}
		from, to := at, at+1
		for from > 0 && at-from < minRun && runByte[text[from-1]] {
			from--
		}
		for to < len(text) && to-from < minRun && runByte[text[to]] {
			to++
		}
		if to-from >= minRun {
			return true
		}
	}
	return false
}

var runByte = func() (set [256]bool) {
	for b := range set {
		set[b] = keyByte(byte(b)) || strings.IndexByte("+/=.~!@#$%^&*", byte(b)) >= 0
	}
	return set
}()

// reach bounds what is read for one key, so that a text of nothing but beginnings costs no more than a few times its length.
func (f format) reach() int {
	if f.kind == "web token" {
		return maxKey
	}
	return 256
}

func keyByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}

// inAddresses finds the password in "scheme://user:password@host".
func inAddresses(text string, add func(kind string, from, to int)) {
	for i := 0; ; {
		at := strings.Index(text[i:], "://")
		if at < 0 {
			return
		}
		i += at + len("://")
		end := i
		for end < len(text) && end-i < 512 && partOfURL(text[end]) && text[end] != '/' {
			end++
		}
		host := strings.LastIndexByte(text[i:end], '@')
		if host < 0 {
			continue
		}
		_, password, both := strings.Cut(text[i:i+host], ":")
		from := i + host - len(password)
		local := localHost(text[i+host+1:end]) && !Random(password) // of a machine of its own, where nobody else gets in
		if both && !local && len(password) >= 6 && !commonPasswords[strings.ToLower(password)] && !strings.ContainsAny(password, "$%") {
			add("password in an address", from, i+host)
		}
	}
}

// localHost reports a host that is the machine itself, or has a name of one word, as those of a composition have.
func localHost(host string) bool {
	host = hostPart(host)
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback() || err != nil && !strings.Contains(host, ".")
}

var commonPasswords = words(`password passwd secret postgres mysql mongodb redis root admin guest pass123 password123
	p4ssw0rd passw0rd mypassword mypass dbpassword rabbitmq`)

var assignment = lazy.MustCompile(`(?i)\b((?:[a-z0-9]+[_.-]){0,4}` +
	`(?:api[_ -]?key|access[_ -]?key|secret(?:[_ -]?key)?|private[_ -]?key|signing[_ -]?key|auth[_ -]?token|token|` +
	`password|passwd|pwd|credential|bearer|authorization))` +
	"[\"'`]?" + `\s{0,3}(?:[:=]|is)\s{0,3}(?:bearer |basic |token )?` + "[\"'`]?" + `([A-Za-z0-9_+/=.~!@#$%^&*-]{12,512})`)

// assigned finds values of high entropy behind a name that says that they are secret.
func assigned(text string, add func(kind string, from, to int)) {
	if !assignable(text) {
		return
	}
	for _, m := range assignment.FindAllStringSubmatchIndex(text, 4*maxSecrets) {
		if value := text[m[4]:m[5]]; Random(value) && !opensNothing(text[max(0, m[2]-24):m[3]]) {
			add("value of "+text[m[2]:m[3]], m[4], m[5])
		}
	}
}

// opensNothing reports a text that ends in the name of a token that is shown to everybody: "cursor token", "page_token".
func opensNothing(name string) bool {
	parts := nameParts(name)
	return len(parts) > 1 && publicToken.MatchString(parts[len(parts)-2]+parts[len(parts)-1])
}

// assignable reports whether a name of a secret can stand in text; it is much faster than the pattern.
func assignable(text string) bool {
	lower := strings.ToLower(text)
	names := []string{"key", "token", "secret", "passw", "pwd", "credential", "bearer", "authorization"}
	return slices.ContainsFunc(names, func(part string) bool { return strings.Contains(lower, part) })
}

// Random reports a text that looks drawn at random: at least 16 characters, letters and digits mixed, and spread over the alphabet.
func Random(value string) bool {
	if len(value) < 16 || len(value) > 512 || strings.ContainsAny(value, " \t\n") {
		return false
	}
	var count [256]int
	digits, letters, turns := 0, 0, 0
	before := 0
	for i := range len(value) {
		b := value[i]
		count[b]++
		kind := 3
		switch {
		case b >= '0' && b <= '9':
			digits++
			kind = 1
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
			letters++
			kind = 2
		}
		if kind != before {
			turns++
		}
		before = kind
	}
	entropy := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(value))
			entropy -= p * math.Log2(p)
		}
	}
	return digits >= 3 && letters >= 3 && turns >= len(value)/6 && entropy >= 3.2
}

// Mask is how a secret is shown: its first four characters and its length.
func Mask(value string) string {
	n := 0
	for i := range value {
		if n == 4 {
			return fmt.Sprintf("%s... (%d characters)", value[:i], utf8.RuneCountInString(value))
		}
		n++
	}
	return fmt.Sprintf("(%d characters)", n)
}

// Label is how a secret is shown where it is the name of something: its first four characters and, unless it could be guessed, a short digest, which
// tells it from others and stays the same.
func Label(value string) string {
	begins, _, _ := strings.Cut(Mask(value), " ")
	if !Issued(value) && !Random(value) {
		return begins
	}
	digest := sha256.Sum256([]byte(value))
	return begins + hex.EncodeToString(digest[:4])
}

// MaskAll returns text with the label of every secret in its place.
func MaskAll(text string) string {
	secrets := Secrets(text)
	if len(secrets) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range secrets {
		b.WriteString(text[at:s.from])
		b.WriteString(Label(s.Value))
		at = s.to
	}
	return b.String() + text[at:]
}

// sampleToken reports a web token that documentation shows: its claims say so.
func sampleToken(value string) bool {
	parts := strings.Split(value, ".")
	if len(parts) != 3 {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	return err != nil || strings.Contains(string(claims), "1234567890")
}
