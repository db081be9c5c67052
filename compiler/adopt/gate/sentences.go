package gate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/wording"
)

// surroundings are what makes a cue another one, beside its phrase.
type surroundings struct {
	sentences map[int]string           // digests, by the character at which a cue begins
	beyond    map[wording.Class]string // a digest of the whole text for classes of which there may be more cues than are told
}

func contextOf(text string, cues []wording.Cue) surroundings {
	count, beyond := map[wording.Class]int{}, map[wording.Class]string{}
	for _, c := range cues {
		if count[c.Class]++; count[c.Class] == wording.MostCues {
			beyond[c.Class] = canon.Digest([]byte(text))
		}
	}
	return surroundings{sentencesOf(text, cues), beyond}
}

// sentencesOf returns a digest of the sentence in which each cue stands, by the character at which the cue begins. What surrounds a phrase is what the
// phrase means. cues are in the order of the text; every sentence is read once.
func sentencesOf(text string, cues []wording.Cue) map[int]string {
	digests := map[int]string{}
	at, offset, to, digest := 0, 0, -1, ""
	for _, c := range cues {
		for ; at < c.At && offset < len(text); at++ {
			_, size := utf8.DecodeRuneInString(text[offset:])
			offset += size
		}
		if offset >= to {
			from := startOfSentence(text[:offset], max(to, 0))
			to = offset + endOfSentence(text[offset:])
			digest = canon.Digest([]byte(text[from:to]))
		}
		digests[c.At] = digest
	}
	return digests
}

// endOfSentence is where the first sentence of a text ends, its white space included: behind a mark that white space follows, or a line.
func endOfSentence(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if r == '\n' || strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && endsThere(text[i:]) {
			return i
		}
	}
	return len(text)
}

// endsThere reports what follows the end of a sentence.
func endsThere(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	return size == 0 || unicode.IsSpace(r)
}

// startOfSentence is where the last sentence of a text begins, no earlier than least.
func startOfSentence(text string, least int) int {
	start := least
	for start < len(text) {
		end := endOfSentence(text[start:])
		if start+end >= len(text) {
			break
		}
		start += end
	}
	return start
}
