package wording

import (
	"regexp"
	"strings"
)

var (
	placeholderPart = regexp.MustCompile(`(?i)your|example|placeholder|change[_-]?me|replace|dummy|sample|insert|redacted|<|>|\.\.\.|…|\*\*\*|\{|\}|\$|xxxx|x{3,}` +
		`|0{6,}|1234567|2345678|abcdef|qwerty|foobar|_here|-here|fake|test[_-]?(key|token)|deadbeef|todo`)
	secretName = regexp.MustCompile(`token|secret|passw|passphrase|apikey|accesskey|privatekey|signingkey|` +
		`credential|authorization|bearer|cookie|connectionstring`)
	publicName = regexp.MustCompile(`page_?token|next_?token|cursor|continuation|sync_?token|max_?tokens|` +
		`tokens|token_?(count|limit|type|id|address|name|symbol)|csrf|(url|path|name|id|type)$`)
)

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

// NamesSecret reports a name of something secret, in snake_case or camelCase: "apiKey", "X-Auth-Token". A token that turns pages is none.
func NamesSecret(name string) bool {
	lower := strings.ToLower(name)
	if publicName.MatchString(lower) {
		return false
	}
	return secretName.MatchString(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(lower))
}
