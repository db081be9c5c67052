package diag

import (
	"strings"

	"anvil/compiler/canon"
)

// MaxName is how long a name may be where a report lists names, in characters. No client takes a longer one of a tool. Findings keep the whole name in
// their subject and tool.
const MaxName = 256

// ShortName is a name as lists have it: whole up to MaxName characters, else its beginning, a mark of the cut, and eight digits of its digest, which
// tell it from others that begin alike.
func ShortName(name string) string {
	runes := []rune(name)
	if len(runes) <= MaxName {
		return name
	}
	const digits = 8
	digest := strings.TrimPrefix(canon.Digest([]byte(name)), "sha256:")[:digits]
	return string(runes[:MaxName-digits-1]) + "…" + digest
}
