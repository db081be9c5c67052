package wording

import (
	"strings"

	"anvil/internal/lazy"
)

// standsFor is [Placeholder] for what was found in the format of an issuer too: a key of letters and digits alone that has "todo" or "xxxx"
// somewhere within is drawn so often enough, and one of its own ones is a key.
func standsFor(kind, value string) bool {
	if !Placeholder(value) {
		return false
	}
	rest, github := strings.CutPrefix(value, "ghp_")
	if kind != "GitHub token" || !github {
		return true
	}
	plain := byChance.ReplaceAllString(rest, "")
	return len(plain) < 28 || !Random(plain) || Placeholder(plain)
}

var byChance = lazy.MustCompile(`(?i)todo|fake|x{3,8}`)

var botToken = lazy.MustCompile(`(?:^|[^A-Za-z0-9_-])([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?:$|[^A-Za-z0-9_-])`)

// botTokens finds the tokens of Telegram's bots, which begin with the number of one.
func botTokens(text string, add func(kind string, from, to int)) {
	if !strings.Contains(text, ":AA") {
		return
	}
	for _, m := range botToken.FindAllStringSubmatchIndex(text, 4*maxSecrets) {
		add("Telegram token", m[2], m[3])
	}
}

var connectionPassword = lazy.MustCompile(`(?i)(?:server|host|data source|user id|uid|username|database|initial catalog|endpoint)=[^;\s"'][^;\n"']{0,100};` +
	`(?:[^;\n"']{1,100};){0,6}?\s?(?:password|pwd)=([^;\s"']{6,128})`)

// inConnections finds the password in a connection string: "Server=...;User Id=...;Password=...".
func inConnections(text string, add func(kind string, from, to int)) {
	if strings.IndexByte(text, ';') < 0 || strings.IndexByte(text, '=') < 0 || !assignable(text) {
		return
	}
	for _, m := range connectionPassword.FindAllStringSubmatchIndex(text, 4*maxSecrets) {
		if value := text[m[2]:m[3]]; Random(value) || len(value) >= 8 && strings.ContainsAny(value, "0123456789") && !commonPasswords[strings.TrimRight(strings.ToLower(value), "0123456789!")] {
			add("password of a connection", m[2], m[3])
		}
	}
}
