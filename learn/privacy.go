package learn

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/wording"
)

// label is a name as it is kept: one that holds a credential, or is too long to be a name, gives way to a mark that is the same for the same name.
func label(name string) string {
	if plain(name) {
		return name
	}
	if kept, known := labels.get(name); known {
		return kept
	}
	kept := strings.ToValidUTF8(name, "\uFFFD")
	if len(kept) > maxLabel || holdsSecret(kept) || assignsSecret(kept) {
		sum := sha256.Sum256([]byte(name))
		kept = "redacted:" + hex.EncodeToString(sum[:8])
	}
	labels.put(name, kept)
	return kept
}

// Storable is a text without what databases, JSON or YAML refuse in one: bytes that are no UTF-8, and NUL.
func Storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// holdsSecret reports a credential in a word, at its start or behind a separator: srv-ghp_... as well as ghp_..., and what would be one as a token's value.
func holdsSecret(word string) bool {
	if len(wording.Secrets("token: "+word)) > 0 {
		return true
	}
	for from := 0; len(word)-from >= minSecret; {
		if len(wording.Secrets(word[from:])) > 0 {
			return true
		}
		next := strings.IndexAny(word[from:], "-_/.:@ ")
		if next < 0 {
			return false
		}
		from += next + 1
	}
	return false
}

// minSecret is how short no credential is.
const minSecret = 8

// plain reports a name in which no credential fits: short, a digest, a UUID, or the ids of a trace and a span ("<32 hex digits>/<16 hex digits>").
func plain(name string) bool {
	switch {
	case len(name) < minSecret:
		return utf8.ValidString(name)
	case len(name) == 36 && name[8] == '-' && name[13] == '-' && name[18] == '-' && name[23] == '-':
		return strings.Trim(name, "0123456789abcdefABCDEF-") == ""
	case len(name) == 49 && name[32] == '/':
		return strings.Trim(name[:32], "0123456789abcdef") == "" && strings.Trim(name[33:], "0123456789abcdef") == ""
	}
	return canon.IsDigest(name)
}

// labels remembers how names came out: the same few come again and again.
var labels memo

// memo is a bounded map for several goroutines. When it is full it begins anew.
type memo struct {
	mu    sync.RWMutex
	known map[string]string
}

const maxMemo = 10_000

func (m *memo) get(name string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	kept, known := m.known[name]
	return kept, known
}

func (m *memo) put(name, kept string) {
	if len(name) > maxLabel {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxMemo {
		m.known = map[string]string{}
	}
	m.known[name] = kept
}

// code is the code of what failed as it is counted. Text is none: it may hold anything.
func code(outcome Outcome, given string) string {
	if outcome == Succeeded || outcome == Cancelled {
		return ""
	}
	if given == "" {
		return UnknownCode
	}
	if len(given) > maxCode || strings.Trim(given, codeCharacters) != "" || speaks(given) {
		return UnknownCode
	}
	return label(given)
}

// UUID spells 32 hex digits as a UUID is written: a name that passes for the id it is, and for no credential.
func UUID(digits string) string {
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// OtherSpelling spells an id of 32 hex digits as UUID does, which is how sessions of a facade are recorded; ok is false for any other id.
func OtherSpelling(id string) (uuid string, ok bool) {
	if _, err := hex.DecodeString(id); err != nil || len(id) != 32 {
		return "", false
	}
	return UUID(strings.ToLower(id)), true
}

// UnknownCode stands for a failure that has no code.
const UnknownCode = "unknown"

const (
	maxCode        = 48 // of those that languages and protocols have, few are longer than 40
	codeCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-/"
)

// Digester takes from payloads what may be kept. Its key makes digests of one store comparable with each other and with nobody else's, so that a short
// argument cannot be found by trying.
type Digester struct {
	Key     []byte // of the store
	Capture bool   // keep the redacted text as well
}

// maxCapture is how much of a payload is kept where somebody asked for it, in bytes.
const maxCapture = 4096

// Payload measures a JSON text.
func (d Digester) Payload(text []byte) Payload {
	if text == nil {
		return Unmeasured
	}
	mac := hmac.New(sha256.New, d.Key)
	canonical, err := canon.Canonical(text)
	if err != nil {
		canonical = text
	}
	mac.Write(canonical)
	p := Payload{Bytes: int64(len(text)), Digest: hex.EncodeToString(mac.Sum(nil)[:16]), Shape: Shape(text)}
	if d.Capture {
		p.Text = Redacted(string(canonical))
	}
	return p
}

// Redacted is a text without the credentials in it, without the words that hold one, without what is assigned to a name of something secret and without the user
// info of addresses, cut at 4096 bytes.
func Redacted(text string) string {
	if len(text) > maxCapture {
		text = strings.ToValidUTF8(text[:maxCapture], "") + "..."
	}
	text = withoutAssigned(text)
	for range 8 {
		found := wording.Secrets(text)
		if len(found) == 0 {
			return longWord.ReplaceAllStringFunc(text, func(word string) string {
				if holdsSecret(word) {
					return mark
				}
				return word
			})
		}
		for _, s := range found {
			text = strings.ReplaceAll(text, s.Value, mark)
		}
	}
	return mark // there is no end of them
}

const mark = "[redacted]"

var longWord = regexp.MustCompile(`[A-Za-z0-9_\-.+/=]{16,}`)
