package learn

import (
	"regexp"
	"strings"

	"anvil/compiler/wording"
)

// withoutAssigned is a text without the user info of its addresses, and without whatever is assigned to a name of something secret: there the name is enough, and
// the value need not look like a credential. It may be JSON, JSON within a string of JSON, a part of either, or words.
func withoutAssigned(text string) string {
	text = userInfo.ReplaceAllString(text, "://"+mark+"@")
	text = longUserInfo.ReplaceAllStringFunc(text, func(found string) string {
		_, password, _ := strings.Cut(found[len("://"):], ":")
		if port, _, path := strings.Cut(password, "/"); path && strings.Trim(port, "0123456789") == "" {
			return found // a port, and a path with an @ in it
		}
		return "://" + mark + "@"
	})
	var b strings.Builder
	for {
		at := assignment.FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text
		}
		b.WriteString(text[:at[1]])
		name, quote, sign := text[at[2]:at[3]], text[at[4]:at[5]], strings.TrimSpace(text[at[5]:at[1]])
		text = text[at[1]:]
		if !namesSecret(name) {
			continue
		}
		kept, end := assigned(text, quote, sign)
		b.WriteString(kept)
		text = text[end:]
	}
}

var (
	userInfo     = regexp.MustCompile(`://[^\s/?#"'<>\\]*@`)
	longUserInfo = regexp.MustCompile(`://[^\s/?#:@"'<>\\]*:[^\s"'<>\\]*@`) // with what a password should not have, a slash
	assignment   = regexp.MustCompile(`([A-Za-z0-9_.\-]{2,100})(\\*["']|)\s{0,3}[:=]\s{0,3}`)
	scheme       = regexp.MustCompile(`^(?i:basic|bearer|token|digest|negotiate|apikey)\s+`)
)

// shortSecrets name secrets in the words of drivers and forms.
var shortSecrets = map[string]bool{"pwd": true, "pass": true, "auth": true, "dsn": true, "otp": true, "pin": true, "psk": true, "cvv": true, "cvc": true, "sid": true}

func namesSecret(name string) bool {
	return shortSecrets[strings.ToLower(name)] || wording.NamesSecret(name)
}

// assigned is what stays of the value at the beginning of a text, and where the value ends. nameQuote stands behind
// its name, and sign between both: ":" or "=".
func assigned(text, nameQuote, sign string) (kept string, end int) {
	depth := strings.Count(nameQuote, `\`)
	opened := len(text) - len(strings.TrimLeft(text, `\`))
	switch {
	case strings.HasPrefix(text, mark):
		return mark, len(mark)
	case opened < len(text) && (text[opened] == '"' || text[opened] == '\''):
		quote := text[:opened+1]
		if end := endOfString(text[opened+1:], quote); end >= 0 {
			return quote + mark + quote, 2*len(quote) + end
		}
		return quote + mark, len(text)
	case text != "" && (text[0] == '{' || text[0] == '['):
		if end := endOfContainer(text); depth == 0 && end > 0 {
			return `"` + mark + `"`, end
		}
		return mark, len(text)
	}
	lead, ends := scheme.FindString(text), " \t\r\n,;\"'}])"
	if sign == "=" {
		ends += "&" // of a form
	}
	if end = strings.IndexAny(text[len(lead):], ends); end < 0 {
		end = len(text) - len(lead)
	}
	switch end += len(lead); {
	case end == 0:
		return "", 0
	case nameQuote == `"`:
		return `"` + mark + `"`, end
	}
	return mark, end
}

// endOfString is where a string ends that began with a quote, which has as many backslashes as strings that it stands in are deep; less than zero if it does not.
func endOfString(text, quote string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], quote)
		if at < 0 {
			return -1
		}
		at += from
		slashes := len(text[:at]) - len(strings.TrimRight(text[:at], `\`))
		if len(quote) == 1 && slashes%2 == 0 || len(quote) > 1 && slashes == 0 {
			return at
		}
		from = at + len(quote)
	}
}

// endOfContainer is where an object or an array ends; 0 if it does not.
func endOfContainer(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// assignsSecret reports a name that is an assignment: "password=...", an address with a password. Behind a colon stands a word as often, "token:refresh", so there the
// value has to have a digit.
func assignsSecret(name string) bool {
	if !strings.ContainsAny(name, ":=") {
		return false
	}
	if strings.Contains(name, "://") && userInfo.MatchString(name) {
		return true
	}
	for _, m := range assignment.FindAllStringSubmatchIndex(name, -1) {
		value := name[m[1]:]
		sure := strings.Contains(name[m[5]:m[1]], "=") || len(value) >= minSecret && strings.ContainsAny(value, "0123456789")
		if sure && value != "" && namesSecret(name[m[2]:m[3]]) {
			return true
		}
	}
	return false
}

// speaks reports a name that says something to a model instead of naming anything.
func speaks(name string) bool {
	if len(name) < minSpoken {
		return false
	}
	said, known := sayings.get(name)
	if !known {
		if len(wording.Cues(name, wording.Home{})) > 0 {
			said = name
		}
		sayings.put(name, said)
	}
	return said != ""
}

const minSpoken = 16

// sayings remembers what names say: themselves, or nothing.
var sayings memo
