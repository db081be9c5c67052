package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const digestPrefix = "sha256:"

// Digest returns "sha256:" and the 64 lower-case hex digits of the SHA-256 of the parts, joined.
func Digest(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return digestPrefix + hex.EncodeToString(h.Sum(nil))
}

// DigestOf returns the [Digest] of src's canonical form.
func DigestOf(src []byte) (string, error) {
	c, err := Canonical(src)
	if err != nil {
		return "", err
	}
	return Digest(c), nil
}

// DigestValue returns the [DigestOf] of v's JSON; "" with an error when v cannot be written.
func DigestValue(v any) (string, error) {
	text, err := EncodeCompact(v)
	if err != nil {
		return "", err
	}
	return DigestOf(text)
}

// IsDigest reports whether s has the shape that [Digest] writes.
func IsDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, digestPrefix)
	return ok && len(digits) == 64 && strings.Trim(digits, hexDigits) == ""
}
