package config

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"anvil/compiler/wording"
	"anvil/internal/lazy"
)

const mask = "***"

var (
	// secretShape matches credentials behind their scheme, private keys and UUIDs; keys of issuers are [wording.Issued].
	secretShape = regexp.MustCompile(`(?i)(^|[^a-z0-9])(bearer |basic |-----begin)[^\s]` +
		`|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	longRun = regexp.MustCompile(`[A-Za-z0-9_]{32,}`)

	// secretPart and secretWord recognise the name of a secret: as a part of the name, or as a whole word in it.
	secretPart = lazy.MustCompile(`token|secret|passw|passphrase|apikey|accesskey|privatekey|signingkey|credential|authorization|bearer|cookie|signature|connectionstring`)
	secretWord = lazy.MustCompile(`(^| )(key|auth|pat|pwd|pass|jwt|sas|dsn|sig|pin|otp|creds?)( |$)`)

	assignment  = lazy.MustCompile(`^(-{0,2}[A-Za-z_][A-Za-z0-9_.-]*)=`)
	named       = lazy.MustCompile(`^-{0,2}([A-Za-z_][A-Za-z0-9_-]*):([^/].*)$`)
	joinedEnv   = lazy.MustCompile(`^-e[A-Z_]`)
	schemed     = lazy.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	camelHump   = lazy.MustCompile(`([a-z0-9])([A-Z])`)
	notWord     = lazy.MustCompile(`[^a-z0-9]+`)
	reference   = lazy.MustCompile(`\$\{[^}]*\}`)
	withDefault = lazy.MustCompile(`\$\{([^}]*?):-[^}]*\}`)
	variable    = lazy.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
)

// maskArgs returns args with everything masked that names or looks like a secret. It would rather hide too much.
func maskArgs(args []string) []string {
	out := make([]string, len(args))
	maskNext := maskWord
	for i, arg := range args {
		if strings.HasPrefix(arg, "--") {
			maskNext = maskWord // the flag before took no value
		}
		out[i] = maskNext(arg)
		maskNext = maskAfter(arg)
	}
	return out
}

// maskAfter says how to mask the argument behind arg, which may be a flag that takes it for its value.
func maskAfter(arg string) func(string) string {
	switch {
	case !strings.HasPrefix(arg, "-") || strings.ContainsAny(arg, "=:"):
		return maskWord
	case arg == "-e" || arg == "--env":
		return maskVariable
	case arg == "-H" || arg == "--header":
		return maskHeader
	case arg == "-u" || arg == "--user":
		return maskUser
	case namesSecret(arg):
		return func(string) string { return mask }
	}
	return maskWord
}

// maskVariable keeps the name in NAME=value, and NAME alone, which passes a variable on.
func maskVariable(arg string) string {
	name, _, assigned := strings.Cut(arg, "=")
	switch {
	case !variable.MatchString(name) || looksSecret(name):
		return mask
	case !assigned:
		return name
	}
	return name + "=" + mask
}

// maskHeader keeps the name in "Name: value".
func maskHeader(arg string) string {
	name, _, ok := strings.Cut(arg, ":")
	if !ok || strings.ContainsFunc(name, unicode.IsSpace) || looksSecret(name) {
		return mask
	}
	return name + ": " + mask
}

// maskUser keeps the name in "name:password"; two numbers are the user and group of a container.
func maskUser(arg string) string {
	name, password, ok := strings.Cut(arg, ":")
	if !ok || numeric.MatchString(arg) || reference.MatchString(password) && !holdsSecret(password) {
		return maskWord(arg)
	}
	return name + ":" + mask
}

// maskWord masks what is secret in one argument that stands by itself.
func maskWord(arg string) string {
	if holdsNamedSecret(arg) {
		return mask
	}
	if strings.ContainsFunc(arg, unicode.IsSpace) {
		return maskScript(arg)
	}
	if joinedEnv.MatchString(arg) {
		return "-e" + mask
	}
	if isShortPassword(arg) {
		return "-p" + mask
	}
	if joinedUser.MatchString(arg) {
		return "-u" + maskUser(arg[2:])
	}
	if m := assignment.FindStringSubmatch(arg); m != nil {
		return maskAssignment(m[1], arg[len(m[0]):])
	}
	if m := named.FindStringSubmatch(arg); m != nil && namesSecret(m[1]) && !plainValue.MatchString(m[2]) {
		return strings.TrimSuffix(arg, m[2]) + mask
	}
	if schemed.MatchString(arg) {
		return redactURL(arg)
	}
	if looksSecret(arg) {
		return mask
	}
	return arg
}

// maskAssignment masks name=value, where name may be a flag.
func maskAssignment(name, value string) string {
	switch {
	case looksSecret(name) || strings.Trim(value, "=") == "" && name[0] != '-': // the padding of a base64 text
		return mask
	case namesSecret(name) || variable.MatchString(name) || name == "--env" || name == "--header" || looksSecret(value):
		return name + "=" + mask
	case name == "--user" || name == "-u":
		return name + "=" + maskUser(value)
	}
	return name + "=" + maskWord(value)
}

// maskScript hides an argument with white space in it, such as a line for a shell, as soon as any part of it is secret:
// how its parts belong together is for the shell to say.
func maskScript(arg string) string {
	fields := scriptWords(arg)
	masked := maskArgs(fields)
	for i := range fields {
		if fields[i] != masked[i] {
			return mask
		}
	}
	if looksSecret(arg) || schemed.MatchString(arg) || secretPart.MatchString(strings.ToLower(arg)) {
		return mask
	}
	return arg
}

// scriptWords takes a line for a shell apart, roughly.
func scriptWords(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`'";|&()`, r) })
}

func namesSecret(name string) bool {
	words := notWord.ReplaceAllString(strings.ToLower(camelHump.ReplaceAllString(name, "$1 $2")), " ")
	return secretPart.MatchString(strings.ReplaceAll(words, " ", "")) || secretWord.MatchString(strings.TrimSpace(words))
}

func looksSecret(text string) bool {
	if wording.Issued(text) || secretShape.MatchString(text) {
		return true
	}
	for _, run := range longRun.FindAllString(text, -1) {
		if strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// redactURL drops user information and fragment and masks query values and path parts that look like secrets. It works
// on the text, because variables may still stand in it.
func redactURL(text string) string {
	sample := strings.ReplaceAll(reference.ReplaceAllString(text, "1"), "1://", "http://") // 1 can be a host, a port, a part
	if _, err := url.Parse(sample); err != nil {
		return "(unreadable-url)"
	}
	text, _, _ = strings.Cut(text, "#")
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "", text
	} else {
		scheme += "://"
	}
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	out := scheme + maskPart(host)
	if hasPath {
		parts := strings.Split(path, "/")
		for i, part := range parts {
			parts[i] = maskPart(part)
		}
		out += "/" + strings.Join(parts, "/")
	}
	if hasQuery {
		out += "?" + maskQuery(query)
	}
	return out
}

func maskPart(part string) string {
	if plain, err := url.PathUnescape(part); err != nil || looksSecret(plain) {
		return mask
	}
	return part
}

func maskQuery(query string) string {
	pairs := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	for i, pair := range pairs {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || looksSecret(name) {
			pairs[i] = mask
			continue
		}
		pairs[i] = name + "=" + mask
	}
	return strings.Join(pairs, "&")
}

// names lists what a server is given, without the values.
func names(what string, given map[string]string) string {
	out := "[" + what
	for _, name := range slices.Sorted(maps.Keys(given)) {
		out += " " + shown(name)
	}
	return out + "]"
}

// shown keeps an argument on one line and recognisable as one argument.
func shown(arg string) string {
	if arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) {
		return strconv.Quote(arg)
	}
	if strings.Contains(arg, " ") && !strings.Contains(arg, mask) {
		return strconv.Quote(arg)
	}
	return arg
}
