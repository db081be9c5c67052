package wording

import "strings"

// Bounds of what is taken apart, in bytes.
const (
	minSpaced   = 5  // letters in a row that stand alone
	minUnspaced = 12 // a word that could be several
	maxUnspaced = 400
	minBroken   = 6 // a word that is looked for in two pieces
	maxBetween  = 3 // what may stand between two letters of a word
)

// apart takes words apart, or together, that are not written as those of a sentence are: identifiers (snake_case, kebab-case), words without spaces
// between them (camelCase among them), and letters with something between each. It returns nil where nothing is written so.
func apart(tokens []word) []word {
	odd, single := false, 0
	for i, w := range tokens {
		odd = odd || isOdd(w) || i > 0 && broken(tokens[i-1], w)
		if len(w.text) == 1 {
			single++
		}
	}
	if !odd && single < minSpaced {
		return nil
	}
	words := make([]word, 0, len(tokens)+8)
	changed := false
	for i, w := range tokens {
		if last := len(words) - 1; i > 0 && broken(tokens[i-1], w) && words[last].to == tokens[i-1].to && words[last].parts == 0 {
			words[last].text, words[last].to, words[last].ends, words[last].breaks = words[last].text+w.text, w.to, w.ends, w.breaks
			changed = true
			continue
		}
		if !isOdd(w) { // most
			words = append(words, w)
			continue
		}
		if plain := withoutDigits(w.text); plain != w.text {
			w.text, changed = plain, true
		}
		parts := identifierParts(w)
		changed = changed || len(parts) > 1 || parts[0].text != w.text
		for _, p := range parts {
			split := knownWords(p)
			changed = changed || len(split) > 1
			words = append(words, split...)
		}
	}
	words, joined := together(words)
	if !changed && !joined {
		return nil
	}
	return words
}

// isOdd reports a word that may have to be taken apart, or that has a digit among its letters.
func isOdd(w word) bool {
	if len(w.text) >= minUnspaced {
		return true
	}
	digits := false
	for i := range len(w.text) {
		switch b := w.text[i]; {
		case b == '_' || b == '-':
			return true
		case b >= '0' && b <= '9':
			digits = true
		}
	}
	return digits && len(w.text) > 3
}

// broken reports two words that are one with something between: "instruc tions".
func broken(a, b word) bool {
	return !a.ends && !a.breaks && b.from-a.to <= 2 && beginnings[a.text] && !isOdd(b) && vocabulary[a.text+b.text]
}

// digitLetters are digits for the letters that they are drawn like.
var digitLetters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b")

// withoutDigits returns the word of the vocabulary that a text with digits in it reads as, or the text.
func withoutDigits(text string) string {
	if len(text) > longestWord || !strings.ContainsAny(text, "0134578") {
		return text
	}
	if plain := digitLetters.Replace(text); vocabulary[plain] {
		return plain
	}
	return text
}

// identifierParts splits at "_" and "-". A word that is known without its hyphen is one.
func identifierParts(w word) []word {
	if strings.IndexByte(w.text, '_') < 0 && strings.IndexByte(w.text, '-') < 0 || w.text[0] == '.' {
		return []word{w}
	}
	if len(w.text) <= longestWord+2 {
		if joined := strings.ReplaceAll(strings.ReplaceAll(w.text, "-", ""), "_", ""); vocabulary[joined] && len(joined) > 3 {
			w.text = joined
			return []word{w}
		}
	}
	var parts []word
	start := 0
	for i := 0; i <= len(w.text); i++ {
		if i < len(w.text) && w.text[i] != '_' && w.text[i] != '-' {
			continue
		}
		if i > start {
			parts = append(parts, word{text: w.text[start:i], from: w.from + start, to: w.from + i})
		}
		start = i + 1
	}
	return ending(parts, w, len(parts))
}

// ending gives the last of the parts what stands behind the word that they are parts of.
func ending(parts []word, of word, count int) []word {
	last := &parts[len(parts)-1]
	last.ends, last.breaks = of.ends, of.breaks
	for i := range parts {
		parts[i].parts = max(count, of.parts)
	}
	return parts
}

// knownWords splits a long word that is nothing but known words.
func knownWords(w word) []word {
	if len(w.text) < minUnspaced || len(w.text) > maxUnspaced || vocabulary[w.text] || w.to-w.from != len(w.text) {
		return []word{w}
	}
	if !known(w.text) {
		return []word{w}
	}
	ends, _ := segments(w.text)
	var parts []word
	start := 0
	for _, end := range ends {
		parts = append(parts, word{text: w.text[start:end], from: w.from + start, to: w.from + end})
		start = end
	}
	return ending(parts, w, len(parts))
}

// known reports a text that is nothing but words of the vocabulary.
func known(text string) bool {
	reached := make([]bool, len(text)+1)
	reached[0] = true
	for from := range text {
		for end := from + 2; reached[from] && end <= min(len(text), from+longestWord); end++ {
			reached[end] = reached[end] || vocabulary[text[from:end]]
		}
	}
	return reached[len(text)]
}

// together joins letters that stand alone in a row, and splits what they make into the words that are known.
func together(words []word) (out []word, joined bool) {
	if !letterRun(words) {
		return words, false
	}
	for i := 0; i < len(words); {
		end := i
		for end < len(words) && len(words[end].text) == 1 && words[end].text[0] >= 'a' && (end == i || words[end].from-words[end-1].to <= maxBetween) {
			end++
		}
		if end-i < minSpaced {
			end = max(end, i+1)
			out = append(out, words[i:end]...)
			i = end
			continue
		}
		out, joined = append(out, spelledOut(words[i:end])...), true
		i = end
	}
	return out, joined
}

// letterRun reports minSpaced words in a row that are single letters.
func letterRun(words []word) bool {
	n := 0
	for _, w := range words {
		if n++; len(w.text) != 1 {
			n = 0
		}
		if n >= minSpaced {
			return true
		}
	}
	return false
}

// spelledOut returns the words that single letters spell; letters that belong to none are left out.
func spelledOut(letters []word) []word {
	var b strings.Builder
	for _, l := range letters {
		b.WriteString(l.text)
	}
	text := b.String()
	ends, _ := segments(text)
	var out []word
	start := 0
	for _, end := range ends {
		if known := text[start:end]; vocabulary[known] {
			out = append(out, word{text: known, from: letters[start].from, to: letters[end-1].to})
		}
		start = end
	}
	if len(out) == 0 {
		return letters
	}
	out[len(out)-1].ends, out[len(out)-1].breaks = letters[len(letters)-1].ends, letters[len(letters)-1].breaks
	return out
}

// segments splits a text into the words of the vocabulary so that the fewest letters are left over, each of which is a segment too; of several ways
// it takes the one with the fewest words. It returns where each segment ends.
func segments(text string) (ends []int, missed int) {
	type step struct{ missed, words, from int }
	best := make([]step, len(text)+1)
	for end := 1; end <= len(text); end++ {
		best[end] = step{best[end-1].missed + 1, best[end-1].words + 1, end - 1}
		for from := max(0, end-longestWord); from < end-1; from++ {
			if !vocabulary[text[from:end]] {
				continue
			}
			with := step{best[from].missed, best[from].words + 1, from}
			if with.missed < best[end].missed || with.missed == best[end].missed && with.words < best[end].words {
				best[end] = with
			}
		}
	}
	for end := len(text); end > 0; end = best[end].from {
		ends = append(ends, end)
	}
	for i, j := 0, len(ends)-1; i < j; i, j = i+1, j-1 {
		ends[i], ends[j] = ends[j], ends[i]
	}
	return ends, best[len(text)].missed
}

// beginnings are what longer words of the vocabulary begin with.
var beginnings = func() map[string]bool {
	set := map[string]bool{}
	for w := range vocabulary {
		for n := 2; len(w) >= minBroken && n <= len(w)-2; n++ {
			set[w[:n]] = true
		}
	}
	return set
}()

// vocabulary are the words of the phrases, and small ones that stand between them.
var vocabulary, longestWord = func() (map[string]bool, int) {
	set, longest := words(`to me my this that these those it of the and or you your all any user users prior than with for from on in be are not do does must never
		dont will please always now message messages answer question about what which who have has were was given`), 0
	for _, list := range sayings {
		for _, e := range list {
			for _, s := range e.steps {
				for w := range s.words {
					set[w] = true
				}
			}
		}
	}
	for w := range set {
		if len(w) < 2 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
			delete(set, w)
		}
		longest = max(longest, len(w))
	}
	return set, longest
}()
