package wording

import (
	"strings"

	"anvil/internal/lazy"
)

var placeholderPart = lazy.MustCompile(`(?i)your|example|placeholder|change[_-]?me|replace|dummy|sample|insert|redacted|<|>|\.\.\.|…|\*\*\*|\{|\}|\$|xxxx|x{3,}` +
	`|0{6,}|1234567|2345678|abcdef|qwerty|foobar|_here|-here|fake|test[_-]?(key|token)|deadbeef|todo|3fa85f64-5717-4562-b3fc-2c963f66afa6`)

// Placeholder reports a value that is written to be replaced: "YOUR_API_KEY", "sk-...", "<token>", and letters that repeat or count up.
func Placeholder(value string) bool {
	if strings.HasPrefix(value, "eyJ") {
		return sampleToken(value)
	}
	if placeholderPart.MatchString(value) {
		return true
	}
	var seen [256]bool
	distinct := 0
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			distinct++
		}
	}
	return distinct < 5 || 3*distinct < min(len(value), 24)
}

// NamesSecret reports a name of something secret, in snake_case, camelCase or otherwise: "apiKey", "X-Auth-Token". A token that turns pages is none,
// and neither is what is told of a secret: its name, its length, where it is found.
func NamesSecret(name string) bool {
	parts := nameParts(name)
	for i, part := range parts {
		both := part
		if i > 0 {
			both = parts[i-1] + part
		}
		next := ""
		if i+1 < len(parts) {
			next = parts[i+1]
		}
		switch {
		case !secretName.MatchString(both), publicToken.MatchString(both):
		case next == "id" && strings.HasSuffix(both, "accesskey"): // half of the secret, by which the other is looked for
			return true
		case next != "" && (ofSecret[next] || ofSecret[parts[len(parts)-1]]):
		default:
			return true
		}
	}
	return false
}

var (
	// secretName and publicToken are what two words of a name in a row end in, or one alone.
	secretName = lazy.MustCompile(`(token|secrets?|passwords?|passwd|passphrases?|passcode|credentials?|authorization|authentication|bearer|cookies?|jwt|` +
		`(api|access|private|signing|secret|encryption|auth|ssh|hmac)keys?|connectionstring)$`)
	publicToken = lazy.MustCompile(`(page|next|previous|continuation|cancellation|cancel|sync|cursor|progress|resume|start|stop|end|uuid|guid|commit|sha|revision|etag|version)token$`)

	// ofSecret are words behind the name of a secret that make it the name of something else.
	ofSecret = words(`count counts limit limits length size budget usage price address symbol decimals
		url uri path file filename name id type kind expiry expires ttl`)
)

// nameParts returns the words of a name in lower case: what is no letter or digit parts them, and a capital behind a small letter. Digits at their
// end are left out.
func nameParts(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && small {
			b.WriteByte(' ')
		}
		small = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !upper && !small {
			r = ' '
		}
		b.WriteRune(r)
	}
	parts := strings.Fields(strings.ToLower(b.String()))
	for i, part := range parts {
		parts[i] = strings.TrimRight(part, "0123456789")
	}
	return parts
}
