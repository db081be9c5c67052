package wording

import "strings"

// secretFiles are files and folders that hold credentials, by the name that begins with a dot and what may follow it. keyFiles are names by
// themselves, and texts that are found in no other place; what is certain is a cue wherever it is named.
var (
	secretFiles = words(`.ssh .aws .gnupg .kube .azure .netrc .npmrc .pypirc .pgpass .htpasswd .env .envrc .git-credentials .bash_history .zsh_history
		.docker/config.json .config/gcloud .config/gh .cursor/mcp.json .vault-token .cargo/credentials .terraformrc .password-store .electrum`)
	keyFiles = []literal{
		{"id_rsa", true}, {"id_ed25519", true}, {"id_ecdsa", true}, {"id_dsa", true}, {"/etc/shadow", true}, {"/proc/self/environ", true},
		{"169.254.169.254", true}, {"login.keychain", true}, {"/etc/passwd", false}, {"claude_desktop_config.json", false}, {"wallet.dat", false},
		{"aws_secret_access_key", false}, {"aws_session_token", false},
	}
)

// literal is a text that names a credential or its place.
type literal struct {
	text    string
	certain bool
}

// places looks for orders to read or send what files of credentials hold. That a tool reads them itself, or where they are by default, is
// documentation.
func (c *collector) places() {
	c.each(Credential, ".", func(at int) int {
		if n := secretFile(c.text, at); n > 0 {
			return c.holder(at, at+n, false)
		}
		return 0
	})
	for _, l := range keyFiles {
		c.each(Credential, l.text, func(from int) int {
			to := from + len(l.text)
			if (l.text[0] == '/' || from == 0 || !partOfName(c.text[from-1])) && endsName(c.text, to) {
				return c.holder(from, to, l.certain)
			}
			return to
		})
	}
}

// secretFile measures the name of a file or folder of credentials at the dot at byte at; 0 when there is none.
func secretFile(text string, at int) int {
	if at > 0 && (partOfName(text[at-1]) || text[at-1] == ')') {
		return 0
	}
	end := at + 1
	for end < len(text) && end-at < 24 && (partOfName(text[end]) || text[end] == '/') {
		end++
		if secretFiles[text[at:end]] && endsName(text, end) {
			return end - at
		}
	}
	return 0
}

// endsName reports that a name ends at byte to: a point behind it may end the sentence, or lead its extension.
func endsName(text string, to int) bool {
	return to == len(text) || text[to] == '.' || !partOfName(text[to])
}

func partOfName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// maxPath bounds what is read of a path on either side of the name that is looked for, in bytes.
const maxPath = 256

// holder records the path that the bytes from to to belong to, if it is certain or stands in an order, and returns where it ends.
func (c *collector) holder(from, to int, certain bool) int {
	for least := max(0, from-maxPath); from > least && partOfPath(c.text[from-1]); {
		from--
	}
	for most := min(len(c.text), to+maxPath); to < most && partOfPath(c.text[to]); {
		to++
	}
	end := to
	for to > from && strings.IndexByte(".:", c.text[to-1]) >= 0 {
		to--
	}
	if c.tired() {
		c.add(Credential, from, to)
		return end
	}
	before, after := sentenceAround(c.text, from, to)
	if documented(before) || documented(after) {
		certain = false
		if !passes(before) {
			return end
		}
	}
	if denied(before, after) {
		certain = false
	}
	if certain || ordered(before) || owed(after) {
		c.add(Credential, from, to)
	}
	return end
}

// denying are words of what keeps others away from something; excusing follow on "never" without forbidding what comes behind them.
var (
	denying  = words("blocks blocked denies denied rejects rejected refuses refused prevents prevented excludes excluded protects forbids forbidden disallowed unreachable")
	excusing = words("forget fail hesitate skip omit neglect stop")
)

// denied reports that what was named is out of reach, by the words of its sentence.
func denied(before, after []word) bool {
	if anyOf(before, excusing) {
		return false
	}
	return anyOf(before, denying) || forbids(before, 3) || anyOf(after[:min(3, len(after))], denying)
}

func partOfPath(b byte) bool { return partOfName(b) || strings.IndexByte(`/\~$%{}*@+:`, b) >= 0 }

// sentenceAround returns the words of the sentence in front of a stretch and behind it, as far as they can have to do with it.
func sentenceAround(text string, from, to int) (before, after []word) {
	const reach, most = 160, 12 // bytes and words
	start, end := max(0, from-reach), min(len(text), to+reach)
	before = wordsOf(text[start:from])
	for i := len(before) - 1; i >= 0; i-- {
		last := i == len(before)-1
		if !last && (before[i].ends || before[i].breaks) || last && sentenceEnds(text[start+before[i].to:from]) || len(before)-i > most {
			before = before[i+1:]
			break
		}
	}
	after = wordsOf(text[to:end])
	for i, w := range after {
		if w.ends || w.breaks || i+1 == most {
			after = after[:i+1]
			break
		}
	}
	return before, after
}

// sentenceEnds reports the end of a sentence in what stands between two words.
func sentenceEnds(between string) bool {
	return strings.ContainsAny(between, ".!?;\n") && strings.ContainsAny(between, " \n")
}

// Words of orders to take something: taking has them as imperatives, passing those that take it somewhere, taken what has to be done with it.
var (
	taking = words(`read open cat send upload include copy dump leak fetch print output attach paste pass provide append access
		post submit forward transmit exfiltrate return show contents content put embed extract collect steal grab base64 encode`)
	passing  = words(`send upload include leak attach paste pass forward transmit exfiltrate contents content embed append steal`)
	taken    = words("passed included sent provided attached uploaded pasted copied read forwarded appended submitted added returned")
	owing    = words("must should be has have needs need required always")
	happens  = words("is are was were be been gets automatically it which that server will")
	defaults = words("default defaults unless fallback falls override overrides overridden otherwise optional optionally")
)

func documented(sentence []word) bool { return anyOf(sentence, defaults) }
func passes(sentence []word) bool     { return anyOf(sentence, passing) }

func anyOf(sentence []word, of map[string]bool) bool {
	for _, w := range sentence {
		if of[w.text] {
			return true
		}
	}
	return false
}

// ordered reports an imperative of taking among the words, one that nothing forbids.
func ordered(before []word) bool {
	for i, w := range before {
		if taking[w.text] && !(i > 0 && (happens[before[i-1].text] || w.text == "access" && denying[before[i-1].text])) && !forbidsNext(before[:i]) {
			return true
		}
	}
	return false
}

// owed reports that what was named has to be taken.
func owed(after []word) bool {
	owes := false
	for _, w := range after {
		if owes && taken[w.text] {
			return true
		}
		owes = owes || owing[w.text]
	}
	return false
}
