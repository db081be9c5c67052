package wording

import (
	"slices"
	"strings"
	"testing"
)

// TestMoreSecrets holds a key of each issuer, put together, and beside it what looks like one.
func TestMoreSecrets(t *testing.T) {
	long := longer + body + longer
	hex := "9fceb02d0ae598e95dc970b74767f193" + "72d61af8c1e3a5b7d9f0123a4b5c6d7e"
	for _, tt := range []struct{ kind, secret, plain string }{
		{"Groq key", "gs" + "k_" + long, "gs" + "k_your_key"},
		{"xAI key", "xa" + "i-" + long, "xa" + "i-..."},
		{"Vault token", "hv" + "s." + long, "hv" + "s.token"},
		{"Docker token", "dckr_" + "pat_" + longer, "dckr_" + "pat_"},
		{"Atlassian token", "ATA" + "TT3xFf" + long, "ATA" + "TT3"},
		{"age key", "AGE-SECRET-" + "KEY-1" + strings.ToUpper(long), "AGE-SECRET-" + "KEY-1..."},
		{"Azure account key", "Account" + "Key=" + long + "==", "Account" + "Key=<key>"},
		{"Azure signature", "https://x.blob.core.windows.net/c?sv=1&si" + "g=" + long + "%3D", "?si" + "g=abc"},
		{"AWS signature", "https://s3.amazonaws.com/b?X-Amz-Sig" + "nature=" + hex, "X-Amz-Sig" + "nature=..."},
		{"Slack webhook", "https://hooks.slack.com/" + "services/T0A1B2C3D/B4E5F6G7H/" + longer, "https://hooks.slack.com/" + "services/T000/B000/XXXX"},
		{"Discord webhook", "https://discord.com/api/" + "webhooks/491827364501928374/" + long, "https://discord.com/api/" + "webhooks/{id}/{token}"},
		{"Telegram token", "4918273645:" + "AA" + body + "m8PsG2fJq4Wz9", "at 12345678:AA"},
		{"password of a connection", "Server=db;User Id=sa;Pass" + "word=" + body + ";", "Server=db;User Id=sa;Pass" + "word=password1234;"},
		{"GitHub token", "gh" + "p_" + body + "todo" + longer, "gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{"GitHub token", "gh" + "p_" + longer + body[:8] + "xxxx", "gh" + "p_example" + long},
	} {
		if got := kindsIn(tt.secret + " "); !slices.Contains(got, tt.kind) {
			t.Errorf("%s: %v", tt.kind, got)
		}
		if got := kindsIn(tt.plain); len(got) > 0 {
			t.Errorf("%s is %v", tt.plain, got)
		}
	}
}
