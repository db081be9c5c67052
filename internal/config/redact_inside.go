package config

import (
	"strings"

	"anvil/compiler/canon"
	"anvil/internal/lazy"
)

var (
	// shortPassword is a password joined to its flag, -pPW. What reads like a flag of one word (-port, -projectID), a port or a pair of ports is
	// none.
	shortPassword = lazy.MustCompile(`^-p([^=].*)$`)
	flagWord      = lazy.MustCompile(`^[a-z]+(-?[A-Z]?[a-z]+)*(I[Dd]|URL)?$`)
	ports         = lazy.MustCompile(`^[0-9.:\[\]-]+(/(tcp|udp))?$`)

	joinedUser = lazy.MustCompile(`^-u[^-:=/][^:=/]*:`)
	numeric    = lazy.MustCompile(`^[0-9]+:[0-9]+$`)
	// plainValue is what may follow the name of a secret and a colon without being one: the verb of a scope (token:read), a port, the tag of an
	// image, an application in a module (auth:app).
	plainValue = lazy.MustCompile(`^((read|write|admin|list|get|create|update|delete|manage|view|all|\*)(:.*)?|[0-9]{1,5}|latest|v?[0-9]+(\.[0-9]+)+([-.+].*)?|app|main|server|mcp)$`)
)

func isShortPassword(arg string) bool {
	m := shortPassword.FindStringSubmatch(arg)
	return m != nil && !strings.Contains(arg, "=") && !flagWord.MatchString(m[1]) && !ports.MatchString(m[1])
}

// isSecret reports a value that is secret whatever it is called: by its look, or by what is in it.
func isSecret(value string) bool {
	return looksSecret(value) || holdsNamedSecret(value) || schemed.MatchString(value) && redactURL(value) != value
}

// holdsNamedSecret reports text that is a list or JSON with a secret among its values.
func holdsNamedSecret(text string) bool {
	if text == "" || text[0] == '-' || schemed.MatchString(text) {
		return false
	}
	separators := ";"
	if text[0] == '{' || text[0] == '[' {
		if node, err := canon.Parse([]byte(text)); err == nil {
			return len(leaves(node, false)) > 0
		}
		separators = ";,{}[]"
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
	if len(parts) < 2 && separators == ";" {
		return false
	}
	for _, part := range parts {
		if at := strings.IndexAny(part, "=:"); at > 0 && at+1 < len(part) && (namesSecret(part[:at]) || looksSecret(part[at+1:])) {
			return true
		}
	}
	return false
}
