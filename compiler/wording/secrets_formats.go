package wording

import (
	"regexp"
	"strings"

	"anvil/internal/lazy"
)

// format is how an issuer writes its keys: what they begin with, and what follows.
type format struct {
	kind    string
	begins  string
	pattern *lazy.Regexp // the whole, anchored at the beginning; nil for what is told for certain by no more than its beginning
	loose   string       // of what follows, that much tells a key where a value is expected
}

// formats are those that are told from other texts by themselves. Each begins with a text that is searched for first.
var formats = []format{
	issuer("AWS access key", "AKIA", `[0-9A-Z]{16}`, `[0-9a-z]{12}`),
	issuer("AWS access key", "ASIA", `[0-9A-Z]{16}`, `[0-9a-z]{12}`),
	issuer("GitHub token", "ghp_", `[A-Za-z0-9]{36,}`, follows),
	issuer("GitHub token", "gho_", `[A-Za-z0-9]{36,}`, follows),
	issuer("GitHub token", "ghu_", `[A-Za-z0-9]{36,}`, follows),
	issuer("GitHub token", "ghs_", `[A-Za-z0-9]{36,}`, follows),
	issuer("GitHub token", "ghr_", `[A-Za-z0-9]{36,}`, follows),
	issuer("GitHub token", "github_pat_", `[A-Za-z0-9_]{40,}`, follows),
	issuer("GitLab token", "glpat-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("Slack token", "xox", `[abeoprs]-[0-9A-Za-z-]{20,}`, `[a-z]-\S`),
	issuer("Slack token", "xapp-", `[0-9A-Za-z-]{30,}`, follows),
	issuer("API key", "sk-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("Stripe key", "sk_live_", `[A-Za-z0-9]{16,}`, follows),
	issuer("Stripe key", "sk_test_", `[A-Za-z0-9]{16,}`, follows),
	issuer("Stripe key", "rk_live_", `[A-Za-z0-9]{16,}`, follows),
	issuer("Google API key", "AIza", `[A-Za-z0-9_-]{35}`, follows),
	issuer("Google access token", "ya29.", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("npm token", "npm_", `[A-Za-z0-9]{36}`, follows),
	issuer("PyPI token", "pypi-AgE", `[A-Za-z0-9_-]{40,}`, follows),
	issuer("Hugging Face token", "hf_", `[A-Za-z]{30,}`, follows),
	issuer("SendGrid key", "SG.", `[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, `[a-z0-9_-]{16}`),
	issuer("DigitalOcean token", "dop_v1_", `[0-9a-f]{64}`, follows),
	issuer("Shopify token", "shpat_", `[0-9a-fA-F]{32}`, follows),
	issuer("Linear key", "lin_api_", `[A-Za-z0-9]{32,}`, follows),
	issuer("Notion token", "ntn_", `[A-Za-z0-9]{40,}`, follows),
	issuer("Notion token", "secret_", `[A-Za-z0-9]{43}`, follows),
	issuer("Figma token", "figd_", `[A-Za-z0-9_-]{30,}`, follows),
	issuer("web token", "eyJ", `[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`, `[a-z0-9_-]{8}`),
	issuer(privateKey, "-----BEGIN ", `(?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----`, follows),
	issuer("GitLab token", "gldt-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("GitLab token", "glrt-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("GitLab token", "glsoat-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("GitLab token", "glcbt-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("GitLab token", "glft-", `[A-Za-z0-9_-]{20,}`, follows),
	issuer("Stripe key", "rk_test_", `[A-Za-z0-9]{16,}`, follows),
	issuer("Shopify token", "shpss_", `[0-9a-fA-F]{32}`, follows),
	issuer("Shopify token", "shpca_", `[0-9a-fA-F]{32}`, follows),
	issuer("Shopify token", "shppa_", `[0-9a-fA-F]{32}`, follows),
	issuer("Tavily key", "tvly-", `[A-Za-z0-9-]{24,}`, follows),
	issuer("Groq key", "gsk_", `[A-Za-z0-9]{40,}`, follows),
	issuer("xAI key", "xai-", `[A-Za-z0-9]{40,}`, follows),
	issuer("Vault token", "hvs.", `[A-Za-z0-9_-]{24,}`, follows),
	issuer("Docker token", "dckr_pat_", `[A-Za-z0-9_-]{24,}`, follows),
	issuer("Atlassian token", "ATATT3", `[A-Za-z0-9_=-]{40,}`, `[a-z0-9_=-]{16}`),
	issuer("age key", "AGE-SECRET-KEY-1", `[A-Z0-9]{50,}`, follows),
	issuer("Azure account key", "AccountKey=", `[A-Za-z0-9+/]{40,}={0,2}`, follows),
	issuer("Azure signature", "sig=", `(?:[A-Za-z0-9+/]|%2[BbFf]){42,}(?:%3[Dd]|=){1,2}`, `[a-z0-9+/%]{40}`),
	issuer("AWS signature", "X-Amz-Signature=", `[0-9a-f]{64}`, `[0-9a-f]{16}`),
	issuer("Slack webhook", "hooks.slack.com/services/", `T[A-Z0-9a-z]{7,}/B[A-Z0-9a-z]{7,}/[A-Za-z0-9]{20,}`, `t[a-z0-9]{7}`),
	issuer("Discord webhook", "discord.com/api/webhooks/", `[0-9]{15,}/[A-Za-z0-9_-]{50,}`, `[0-9]{15}`),
	issuer("Discord webhook", "discordapp.com/api/webhooks/", `[0-9]{15,}/[A-Za-z0-9_-]{50,}`, `[0-9]{15}`),
	unsure("PyPI token", "pypi-"), unsure("Stripe key", "pk_live_"), unsure("Stripe key", "pk_test_"), // keys that are public are settings all the same
}

// follows is that something does.
const follows = `\S`

func issuer(kind, begins, rest, loose string) format {
	return format{kind, begins, lazy.MustCompile(`^` + regexp.QuoteMeta(begins) + rest), loose}
}

func unsure(kind, begins string) format { return format{kind: kind, begins: begins, loose: follows} }

// issued matches what begins like a key of one of the issuers.
var issued = func() *lazy.Regexp {
	var ways []string
	for _, f := range formats {
		ways = append(ways, regexp.QuoteMeta(f.begins)+f.loose)
	}
	return lazy.MustCompile(`(?i)(?:^|[^a-z0-9])(?:` + strings.Join(ways, "|") + `)`)
}()

// Issued reports a value that begins like the keys of a well-known issuer, in any case. It is for values that are secret more often than not,
// such as settings: [Secrets] asks for the whole format.
func Issued(value string) bool { return issued.MatchString(value) }
