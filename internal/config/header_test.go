package config

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func planted(name string) (string, bool) {
	value, ok := map[string]string{
		"TOKEN": "planted-token", "lower": "planted-lower", "EMPTY": "", "LINES": "planted\nplanted", "BEARER": "Bearer planted", "SPACED": "planted token",
	}[name]
	return value, ok
}

// refused demands one error, tested with errors.Is where want is one, and that it repeats nothing planted.
func refused(t *testing.T, given string, err, want error, words string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "planted") {
		t.Errorf("%q: error %v, want %q", given, err, words)
	}
}

func TestParseHeader(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Header
	}{
		{"x-api-key: abc", Header{Name: "X-Api-Key", Value: "abc", Written: "abc"}},
		{"X-Time:12:30", Header{Name: "X-Time", Value: "12:30", Written: "12:30"}},
		{"X-Key:  ${TOKEN}/${env:TOKEN} ", Header{Name: "X-Key", Value: "planted-token/planted-token", Written: "${TOKEN}/${env:TOKEN}"}},
		{"X-Key: ${EMPTY:-spare}", Header{Name: "X-Key", Value: "spare", Written: "${EMPTY:-spare}"}},
		{"X-Key: $${TOKEN}", Header{Name: "X-Key", Value: "${TOKEN}", Written: "$${TOKEN}"}},
	} {
		got, err := ParseHeader(tt.text, planted)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got)\n%s", tt.text, err, diff)
		}
	}
}

func TestParseHeaderRefuses(t *testing.T) {
	const noName = "a header name has letters, digits and dashes only, as in X-Api-Key"
	for _, tt := range []struct {
		text  string
		want  error
		words string
	}{
		{"planted", ErrNotHeader, "want a name, a colon and a value in one word"},
		{"X-Key:", ErrNoValue, "X-Key: there is no value"},
		{"X-Key: ${EMPTY:-}", ErrNoValue, "X-Key: there is no value"},
		{"Über: planted", nil, noName},
		{"planted key: x", nil, noName},
		{"X-Key : planted", nil, noName},
		{": planted", nil, noName},
		{"sk-planted1234: planted", nil, noName},
		{"X-Key: ${NOSUCH}", nil, "X-Key: the variable NOSUCH is not set, or empty; set it in the environment"},
		{"X-Key: ${EMPTY}", nil, "the variable EMPTY is not set, or empty"},
		{"X-Key: ${planted_token}", nil, "the variable that it names is not set"},
		{"X-Key: ${LINES}", nil, "the value of X-Key holds a line break or another control character"},
		{"X-Key: planted\r\nX-Other: planted", nil, "the value of X-Key holds a line break"},
		{"X-Key: planted\nplanted", nil, "the value of X-Key holds a line break"},
		{"X-Key: planted\x01", nil, "the value of X-Key holds a line break"},
		{"X-Key: planted\x7f", nil, "the value of X-Key holds a line break"},
	} {
		_, err := ParseHeader(tt.text, planted)
		refused(t, tt.text, err, tt.want, tt.words)
	}
}

// What the protocol or the connection sets is in nobody's hand.
func TestParseHeaderRefusesOwnHeaders(t *testing.T) {
	for _, name := range []string{
		"Host", "content-length", "Content-Type", "content-encoding", "Accept", "Accept-Encoding", "Connection", "Keep-Alive", "Transfer-Encoding", "TE", "Trailer",
		"Upgrade", "Expect", "Proxy-Authorization", "Last-Event-ID", "MCP-session-id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region",
	} {
		_, err := ParseHeader(name+": planted", planted)
		refused(t, name, err, nil, "the header "+http.CanonicalHeaderKey(name)+" is for anvil to set; leave it out")
	}
}

func TestBearerHeader(t *testing.T) {
	for _, name := range []string{"TOKEN", "lower"} { // a name in small letters is one too
		got, err := BearerHeader(name, planted)
		token, _ := planted(name)
		want := Header{Name: "Authorization", Value: "Bearer " + token, Written: "Bearer ${" + name + "}", Variable: name}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
	for _, tt := range []struct {
		variable string
		want     error
		words    string
	}{
		{"", ErrNotVariable, "want the name of a variable"},
		{"planted-token", ErrNotVariable, "want the name of a variable that holds the token, not the token"},
		{"NOSUCH", ErrNoToken, "the variable NOSUCH is not set, or empty"},
		{"EMPTY", ErrNoToken, "the variable EMPTY is not set, or empty"},
		{"planted_token", ErrNoToken, "the variable that it names is not set"},
		{"BEARER", nil, "the variable BEARER is set to more than the token: leave the word Bearer out of it"},
		{"SPACED", ErrOtherThanBearer, "the variable SPACED is set to text with a space in it, which is no bearer token"},
		{"LINES", nil, "the variable LINES is not fit for a header: the value of Authorization holds a line break"},
	} {
		_, err := BearerHeader(tt.variable, planted)
		refused(t, tt.variable, err, tt.want, tt.words)
	}
}

// All that is wrong with the headers of an entry is said at once, with its line.
func TestHeadersOfAnEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.yaml")
	text := "mcpServers:\n  bad:\n    url: http://h/\n    headers: {host: planted, X-Lines: \"planted\\nplanted\", x-twice: planted, X-Twice: planted, planted key: x}\n" +
		"  fine: {url: 'http://h/', headers: {Accept: text/plain, Content-Type: application/json, X-Key: planted}}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, planted)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Server("bad")
	for _, want := range []string{
		"the header Host is for anvil to set; leave it out", "the value of X-Lines holds a line break", "the header X-Twice is given twice", "a header name has letters, digits and dashes only",
	} {
		refused(t, "bad", err, nil, "bad.yaml:4: server \"bad\": "+want)
	}
	if _, err := f.Server("fine"); err != nil {
		t.Error(err)
	}
}
