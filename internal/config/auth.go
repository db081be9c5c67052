package config

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"anvil/compiler/air"
)

// Auth returns how the entry proves to the server who calls, by names alone: the secret headers, query keys or variables that it is given. An entry
// that gives none is of unknown kind, since a server may be signed in to later, or find its own credentials.
func (s Server) Auth() air.Auth {
	w := s
	if s.written != nil {
		w = *s.written
	}
	values := maps.Clone(w.Headers)
	for _, h := range s.given {
		if values == nil {
			values = map[string]string{}
		}
		written, _ := h.Portable()
		values[h.Name] = written
	}
	var found []proof
	if s.URL != "" {
		found = append(headerProofs(values), queryProofs(w.URL)...)
	}
	if s.Command != "" {
		found = append(found, environmentProofs(w.Env)...)
	}
	return authOf(found)
}

// proof is one secret that a server is given.
type proof struct {
	kind    air.AuthType
	carrier air.Carrier
	written bool // out, where the configuration is
}

func headerProofs(headers map[string]string) (found []proof) {
	for name, value := range headers {
		if !secretPair(name, value) {
			continue
		}
		kind := air.AuthCustomHeader
		scheme, _, _ := strings.Cut(strings.ToLower(value), " ")
		switch words := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)); {
		case words == "authorization" && scheme == "bearer":
			kind = air.AuthBearer
		case words == "authorization" && scheme == "basic":
			kind = air.AuthBasic
		case strings.Contains(words, "apikey"):
			kind = air.AuthAPIKey
		}
		found = append(found, proof{kind, air.Carrier{In: air.CarrierHeader, Name: http.CanonicalHeaderKey(name)}, holdsSecret(value)})
	}
	return found
}

func queryProofs(text string) (found []proof) {
	_, query, _ := strings.Cut(text, "?")
	query, _, _ = strings.Cut(query, "#")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if secretPair(name, value) {
			found = append(found, proof{air.AuthAPIKey, air.Carrier{In: air.CarrierQuery, Name: name}, holdsSecret(value)})
		}
	}
	return found
}

func environmentProofs(env map[string]string) (found []proof) {
	for name, value := range env {
		if secretPair(name, value) {
			found = append(found, proof{air.AuthEnvironment, air.Carrier{In: air.CarrierEnvironment, Name: name}, holdsSecret(value)})
		}
	}
	return found
}

// secretPair reports a value that is secret: by the name it has, by the name of a variable it is filled from, or by its look.
func secretPair(name, value string) bool {
	variables := slices.ContainsFunc(reference.FindAllStringSubmatch(value, -1), func(m []string) bool { return namesSecret(m[0]) })
	return value != "" && (namesSecret(name) || variables || isSecret(value))
}

// authOf says in one word what several proofs come to.
func authOf(found []proof) air.Auth {
	if len(found) == 0 {
		return air.Auth{Type: air.AuthUnknown, SecretSource: air.SecretUnknown}
	}
	a := air.Auth{Type: found[0].kind, SecretSource: air.SecretEnv}
	for _, p := range found {
		if p.kind != a.Type {
			a.Type = air.AuthCustomHeader
		}
		if p.written {
			a.SecretSource = air.SecretConfig
		}
		if !slices.Contains(a.Carriers, p.carrier) {
			a.Carriers = append(a.Carriers, p.carrier)
		}
	}
	slices.SortFunc(a.Carriers, func(x, y air.Carrier) int {
		return strings.Compare(string(x.In)+" "+x.Name, string(y.In)+" "+y.Name)
	})
	return a
}
