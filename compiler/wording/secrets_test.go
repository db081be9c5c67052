package wording

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Keys are put together here, so that no scanner takes this file for a leak.
const (
	body   = "Zk3vQ9wLr7TbY1nXc5Hd"
	longer = body + "m8PsG2fJ"
)

func kindsIn(text string) []string {
	var kinds []string
	for _, s := range Secrets(text) {
		kinds = append(kinds, s.Kind)
	}
	return kinds
}

func TestSecrets(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"AWS", "key AK" + "IAQ7RSTUVWM2JK4LNP.", []string{"AWS access key"}},
		{"the key of its documentation", "AK" + "IAIOSFODNN7EXAMPLE", nil},
		{"GitHub", "gh" + "p_" + longer + body, []string{"GitHub token"}},
		{"Slack", "xo" + "xb-4821039475-" + body, []string{"Slack token"}},
		{"OpenAI, and one within a word", "s" + "k-" + longer + " task-" + strings.ToLower(longer), []string{"API key"}},
		{"a web token", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI3NzMxIn0.q1w2e3r4t5y6u7i8o9p0A", []string{"web token"}},
		{"the web token of its documentation", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.q1w2e3r4t5y6u7i8o9p0A", nil},
		{"a private key", "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + strings.Repeat(longer+"\n", 4), []string{"private key"}},
		{"its heading alone", "Begins with -----BEGIN RSA PRIV" + "ATE KEY-----", nil},
		{"assigned", `api_key: "` + body + `"`, []string{"value of api_key"}},
		{"assigned in a header", "Authorization: Bearer " + longer, []string{"value of Authorization"}},
		{"assigned words", "token: the-token-of-your-account", nil},
		{"a password in an address", "postgres://app:" + body + "@db.acme.io/x", []string{"password in an address"}},
		{"the usual one", "postgres://user:password@host/db", nil},
		{"placeholders", "YOUR_API_KEY sk-... sk-xxxxxxxxxxxxxxxxxxxxxxxx ghp_your_token_here <token> api_key=${API_KEY_0123456789}", nil},
		{"a digest", "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, kindsIn(tt.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if masked := MaskAll(tt.text); tt.want != nil && (strings.Contains(masked, body[6:]) || strings.Contains(masked, "TUVWM2")) {
				t.Errorf("not masked: %s", masked)
			}
		})
	}
}

func TestMask(t *testing.T) {
	for in, want := range map[string]string{"abcdefgh": "abcd... (8 characters)", "äöüßäö": "äöüß... (6 characters)", "abc": "(3 characters)", "": "(0 characters)"} {
		if got := Mask(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestLabel(t *testing.T) {
	one, other := Label("gh"+"p_"+longer+body), Label("gh"+"p_"+body+longer)
	if one == other || !strings.HasPrefix(one, "ghp_...") || len(one) != len("ghp_...")+8 || one != Label("gh"+"p_"+longer+body) {
		t.Errorf("%s and %s", one, other)
	}
	if got := Label("hunter22"); got != "hunt..." { // a digest would tell whoever guesses it
		t.Errorf("%s", got)
	}
}

func TestNamesSecret(t *testing.T) {
	for name, want := range map[string]bool{
		"apiKey": true, "api_key": true, "X-Auth-Token": true, "client_secret": true, "password": true,
		"pageToken": false, "next_token": false, "max_tokens": false, "tokenAddress": false, "key": false, "secretName": false,
		"Authorization": true, "set_cookie": true, "PASSWORD": true, "private key": true, "passphrase": true, "bearer": true, "signing_key": true,
		"csrf_token": true, "access_key_id": true, "userAPIKey": true, "dbpassword": true, "AUTH_TOKEN_PROD": true, "apiKey2": true,
		"token_count": false, "tokenCount": false, "Page-Token": false, "primary-key": false, "author": false, "Tokenizer": false, "token_url": false,
		"secretary": false, "Region": false, "": false,
	} {
		if got := NamesSecret(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// FuzzSecrets holds that a secret is a stretch of its text, and that no text of which all are masked holds one that was found.
func FuzzSecrets(f *testing.F) {
	for _, seed := range []string{"gh" + "p_" + longer + body, "api_key=" + body, "a://b:" + body + "@c", "\xffeyJ", "-----BEGIN "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		secrets := Secrets(text)
		for i, s := range secrets {
			if !strings.Contains(text, s.Value) || s.Value == "" || i > 0 && s.from < secrets[i-1].to {
				t.Errorf("%+v in %q", s, text)
			}
		}
		if len(secrets) == 0 && MaskAll(text) != text {
			t.Errorf("%q is masked without a secret", text)
		}
	})
}
