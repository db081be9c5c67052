package config

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"anvil/compiler/canon"
)

// Given returns the values that s was given in confidence and that nobody who speaks of it must repeat: every value of its environment and
// headers, the arguments that are masked for people, and of its URL the user, the password, the values of the query and the masked parts of
// the path, each raw, decoded and as it is sent. Short and common words may be among them.
func (s Server) Given() []string {
	values := s.Secrets()
	for _, table := range []map[string]string{s.Env, s.Headers} {
		for _, value := range table {
			values = append(values, value)
			values = append(values, strings.Fields(credential(value))...)
		}
	}
	for _, text := range append(slices.Clone(s.Args), s.URL) {
		if schemed.MatchString(text) {
			values = append(values, urlValues(text, false)...)
		}
	}
	return unique(values)
}

// Secrets returns the values of s that name or look like a secret, those that came in by a variable and are no common setting, and the headers of the
// command line: what must stand in no file. They are among [Server.Given].
func (s Server) Secrets() []string {
	var values []string
	for _, table := range []map[string]string{s.Env, s.Headers} {
		for key, value := range table {
			if namesSecret(key) || isSecret(value) || isGiven(s.given, key) {
				values = append(values, value)
				values = append(values, innerSecrets(value)...)
			}
		}
	}
	values = append(append(values, argSecrets(s.Args)...), s.filledSecrets()...)
	return unique(append(values, urlValues(s.URL, true)...))
}

func unique(values []string) []string {
	slices.Sort(values)
	return slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" })
}

// argSecrets returns the arguments that are masked, and what is secret in them.
func argSecrets(args []string) (values []string) {
	for i, masked := range maskArgs(args) {
		switch arg := args[i]; {
		case masked == arg:
		case schemed.MatchString(arg):
			values = append(values, urlValues(arg, true)...)
		case strings.ContainsFunc(arg, unicode.IsSpace):
			values = append(append(values, arg, credential(arg)), argSecrets(scriptWords(arg))...)
		default:
			values = append(append(values, arg), innerSecrets(arg)...)
		}
	}
	return values
}

// innerSecrets returns the parts of a secret text that could be repeated by themselves: the credential behind its scheme, the values of a
// list or of JSON, the password of an address.
func innerSecrets(text string) (values []string) {
	if schemed.MatchString(text) {
		return urlValues(text, true)
	}
	values = append(append(values, credential(text)), basicParts(text)...)
	if m := shortPassword.FindStringSubmatch(text); m != nil {
		values = append(values, m[1])
	}
	if node, err := canon.Parse([]byte(text)); err == nil && (node.IsObject() || node.IsArray()) {
		return append(values, leaves(node, false)...)
	}
	parts := strings.Split(text, ";")
	for _, part := range parts {
		part = strings.TrimSpace(part)
		at := strings.IndexAny(part, "=:")
		if at <= 0 || len(parts) > 1 && maskWord(part) == part {
			continue
		}
		value := part[at+1:]
		if values = append(values, strings.TrimSpace(value)); part != value {
			values = append(values, innerSecrets(value)...)
		}
		if part[at] == ':' { // a user and a password, as they are sent
			values = append(values, encoded(strings.TrimPrefix(part, "-u"))...)
		}
	}
	return values
}

// leaves returns the secret texts in a JSON value: below a name that says so all of them.
func leaves(n *canon.Node, secret bool) (values []string) {
	for _, m := range n.Members {
		values = append(values, leaves(m.Value, secret || namesSecret(m.Name))...)
	}
	for _, item := range n.Items {
		values = append(values, leaves(item, secret)...)
	}
	if text, ok := n.Str(); ok && (secret || isSecret(text)) {
		values = append(append(values, text), innerSecrets(text)...)
	} else if n.Is(canon.Number) && secret && len(n.Raw) >= 6 { // max_tokens: 4096 is none
		values = append(values, string(n.Raw))
	}
	return values
}

// credential returns what follows the scheme of an Authorization header, and other texts as they are.
func credential(text string) string {
	scheme, rest, found := strings.Cut(strings.TrimSpace(text), " ")
	if found && slices.Contains([]string{"bearer", "basic", "token", "apikey", "digest", "negotiate"}, strings.ToLower(scheme)) {
		return strings.TrimSpace(rest)
	}
	return text
}

// basicParts returns what a header of Basic authentication says in the clear, and the password of it.
func basicParts(text string) []string {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !strings.EqualFold(scheme, "basic") {
		return nil
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
	if err != nil {
		return nil
	}
	_, password, _ := strings.Cut(string(plain), ":")
	return []string{string(plain), password}
}

// Proxies returns the proxies that env names. They are no servers of MCP, but like those they are given secrets in their address.
func Proxies(env func(string) (string, bool)) (proxies []Server) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		address, _ := env(name)
		if address == "" {
			continue
		}
		if !schemed.MatchString(address) {
			address = "http://" + address
		}
		proxies = append(proxies, Server{URL: address})
	}
	return proxies
}

// urlValues returns what an address is given in confidence, in every spelling; with onlySecrets, what is no secret for certain is left out:
// the user's name, and query values that neither name nor look like one.
func urlValues(text string, onlySecrets bool) (values []string) {
	text, _, _ = strings.Cut(text, "#")
	address, query, _ := strings.Cut(text, "?")
	_, rest, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		values = append(values, userValues(host[:at], onlySecrets)...)
	}
	for _, part := range strings.Split(path, "/") {
		if maskPart(part) != part {
			values = append(values, part, decoded(part, url.PathUnescape))
		}
	}
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			value = name
		}
		plain := decoded(value, url.QueryUnescape)
		if !onlySecrets || namesSecret(name) || isSecret(plain) {
			values = append(values, value, plain, url.QueryEscape(plain))
		}
	}
	return values
}

// userValues takes the user information of an address apart.
func userValues(info string, onlySecrets bool) []string {
	user, password, both := strings.Cut(info, ":")
	plainUser, plainPassword := decoded(user, url.PathUnescape), decoded(password, url.PathUnescape)
	values := []string{password, plainPassword, url.QueryEscape(plainPassword)}
	if !onlySecrets || !both { // a token may stand in the place of the user
		values = append(values, user, plainUser)
	}
	return append(values, append(encoded(plainUser+":"+plainPassword), info, plainUser+":"+plainPassword)...)
}

// encoded is a text as Basic authentication sends it, with and without its padding, in both alphabets.
func encoded(text string) []string {
	return []string{
		base64.StdEncoding.EncodeToString([]byte(text)), base64.RawStdEncoding.EncodeToString([]byte(text)),
		base64.URLEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)),
	}
}

func decoded(text string, decode func(string) (string, error)) string {
	if plain, err := decode(text); err == nil {
		return plain
	}
	return text
}
