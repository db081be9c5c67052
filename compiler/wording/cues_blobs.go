package wording

import (
	"encoding/base64"
	"strings"
)

// Bounds of a run that nobody reads: a digest of 512 bits in hex is shorter. What is decoded to a cue is one from minDecoded on.
const (
	minBase64  = 160
	minHex     = 140
	minDecoded = 24
	maxDecoded = 8 << 10
)

// blobs looks for long runs of base64 or hex, and for shorter ones that decode to a cue. A run of base64 has capital and small letters and digits
// mixed, which long paths and words have not; the folded text has lost the capitals, so the text before folding is read.
func (c *collector) blobs() {
	text, places := c.source, []int32(nil)
	if c.at != nil {
		text, places = shown(c.source)
	}
	start, first, n := 0, 0, 0 // byte and character where the run begins, characters read
	end := func(i int) {
		if run := text[start:i]; c.count[Blob] < MostCues && (isBlob(run) || hidesCue(run)) {
			at := first
			if places != nil {
				at = int(places[first])
			}
			c.count[Blob]++
			c.cues = append(c.cues, Cue{Class: Blob, At: at, Quote: run})
		}
	}
	for i, r := range text {
		n++
		if r >= 0x7F || !base64Byte(byte(r)) {
			end(i)
			start, first = i+len(string(r)), n
		}
	}
	end(len(text))
}

// hidesCue reports a run of base64 that decodes to a text with a phrase in it.
func hidesCue(run string) bool {
	if len(run) < minDecoded || len(run) > maxDecoded {
		return false
	}
	run = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(run, "="))
	plain, err := base64.RawStdEncoding.DecodeString(run)
	if err != nil || !plainASCII(string(plain)) {
		return false
	}
	found := false
	sayings.find(wordsOf(strings.ToLower(string(plain))), func(Class, int, int) { found = true })
	return found
}

func base64Byte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '=' || b == '-' || b == '_'
}

func isBlob(run string) bool {
	if len(run) < minHex {
		return false
	}
	var upper, lower, digits, hex int
	for i := range len(run) {
		b := run[i]
		switch {
		case b >= '0' && b <= '9':
			digits++
		case b >= 'a' && b <= 'z':
			lower++
		case b >= 'A' && b <= 'Z':
			upper++
		}
		if b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			hex++
		}
	}
	some := len(run) / 20
	if hex == len(run) {
		return digits > some && lower+upper > some
	}
	return len(run) >= minBase64 && upper > 2*some && lower > 2*some && digits > some
}
