package air

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// Bounds of the names made here, in bytes.
const (
	maxServiceID = 64
	maxCanonical = 96
	hashDigits   = 8
)

// ServiceID makes the id of a service from whatever a server calls itself: a lower-case letter, then letters, digits, "_" and "-", ending
// in a letter or digit, 1 to 64 bytes. The same name always gives the same id. Case, and spaces and - . / : @ between words, are taken as
// spelling; where anything else was lost, cut off or put in front, a short hash of the name keeps distinct names distinct.
func ServiceID(name string) string {
	id, lost := fold(name, '-', " -./:@")
	if trimmed := strings.Trim(id, "-_"); len(trimmed) != len(id) {
		id, lost = trimmed, true
	}
	if id == "" {
		id, lost = "server", true
	}
	if id[0] < 'a' || id[0] > 'z' {
		id, lost = "server-"+id, true
	}
	return hashed(id, name, '-', lost, maxServiceID)
}

// ValidServiceID reports whether id has the shape that ServiceID gives.
func ValidServiceID(id string) bool {
	if id == "" || len(id) > maxServiceID || id[0] < 'a' || id[0] > 'z' || strings.HasSuffix(id, "-") || strings.HasSuffix(id, "_") {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// CanonicalName makes the snake_case name of a tool: "getHTTPResponse", "get-http-response" and "get.http.response" all become
// get_http_response. It is never empty: letters that have no Latin base are dropped and a short hash of the name is put in their place,
// so 查询 becomes "tool_" and eight digits.
func CanonicalName(tool string) string {
	words, lost := split(tool)
	name := strings.Join(words, "_")
	if name == "" {
		name, lost = "tool", true
	}
	return hashed(name, tool, '_', lost, maxCanonical)
}

// Words splits a tool's name into lower-case words at punctuation and at changes of case: "getHTTPResponse2" is get, http, response2.
// Letters that have no Latin base are left out.
func Words(name string) []string {
	words, _ := split(name)
	return words
}

// ShortHash returns the first eight hex digits of the digest of s.
func ShortHash(s string) string {
	return strings.TrimPrefix(canon.Digest([]byte(s)), "sha256:")[:hashDigits]
}

// hashed cuts id to limit and, where something was lost on the way, ends it in a hash of the original.
func hashed(id, original string, separator byte, lost bool, limit int) string {
	if !lost && len(id) <= limit {
		return id
	}
	if room := limit - hashDigits - 1; len(id) > room {
		id = id[:room]
	}
	return strings.TrimRight(id, "-_") + string(separator) + ShortHash(original)
}

// fold lowers name to ASCII letters, digits and "_"; runs of spelling characters become one separator. lost tells that anything else
// was dropped.
func fold(name string, separator byte, spelling string) (id string, lost bool) {
	var b strings.Builder
	for _, r := range name {
		switch base := latin(r); {
		case base != "":
			b.WriteString(strings.ToLower(base))
		case r == '_':
			b.WriteByte('_')
		default:
			lost = lost || !strings.ContainsRune(spelling, r)
			if s := b.String(); s == "" || s[len(s)-1] != separator {
				b.WriteByte(separator)
			}
		}
	}
	return strings.Trim(b.String(), string(separator)), lost
}

// split cuts a name into words; lost tells that letters, digits or symbols beyond ASCII punctuation were dropped.
func split(name string) (words []string, lost bool) {
	if words, plain := splitASCII(name); plain {
		return words, false
	}
	runes := []rune(name)
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	for i, r := range runes {
		base := latin(r)
		if base == "" {
			lost = lost || r > unicode.MaxASCII
			flush()
			continue
		}
		if i > 0 && boundary(runes, i) {
			flush()
		}
		word.WriteString(base)
	}
	flush()
	return words, lost
}

// splitASCII is split of a name in ASCII, which most are; plain is false for any other. The words share the text of the name.
func splitASCII(name string) (words []string, plain bool) {
	lower, start := strings.ToLower(name), -1
	for i := 0; i <= len(name); i++ {
		switch {
		case i < len(name) && name[i] >= utf8.RuneSelf:
			return nil, false
		case i == len(name) || !letters[name[i]]:
			if start >= 0 {
				words = append(words, lower[start:i])
			}
			start = -1
		case start < 0:
			start = i
		case isUpper(name[i]) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			words = append(words, lower[start:i])
			start = i
		}
	}
	return words, true
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// letters are those of ASCII, and the digits.
var letters = func() (table [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		table[c] = isUpper(c) || isLower(c) || '0' <= c && c <= '9'
	}
	return table
}()

// boundary reports a word that begins at i: an upper-case letter after a lower-case one or a digit, or the last of a run of upper-case
// letters that leads a word ("HTTPResponse").
func boundary(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	before := runes[i-1]
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	return unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// accents maps accented Latin letters to their base, one line a base: enough to keep European names readable.
var accents = accentTable(
	"Aàáâãäåāăą", "Cçćĉċč", "Dðďđ", "Eèéêëēĕėęě", "Gĝğġģ", "Hĥħ", "Iìíîïĩīĭįı", "Jĵ", "Kķ", "Lĺļľŀł", "Nñńņňŋ", "Oòóôõöøōŏő",
	"Rŕŗř", "Sśŝşšș", "Tţťŧț", "Uùúûüũūŭůűų", "Wŵ", "Yýÿŷ", "Zźżž",
)

func accentTable(lines ...string) map[rune]string {
	table := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th"}
	for _, line := range lines {
		base := strings.ToLower(line[:1])
		for _, r := range line[1:] {
			table[r] = base
		}
	}
	return table
}

// latin returns the ASCII letters or digit of r, in r's case; "" when it has none.
func latin(r rune) string {
	if r < utf8.RuneSelf {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(r)
		}
		return ""
	}
	base := accents[unicode.ToLower(r)]
	if unicode.IsUpper(r) {
		return strings.ToUpper(base)
	}
	return base
}
