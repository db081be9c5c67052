package adopt

import (
	"slices"
	"strings"
	"unicode"

	"anvil/compiler/air"
	"anvil/compiler/canon"
)

// maxDescription bounds how much of a description is read for verbs and phrases, in bytes.
const maxDescription = 16 << 10

// descriptionReading is what a description says of the tool itself.
type descriptionReading struct {
	lead    spokenVerb   // the verb it opens with; class unknownVerb when it opens with none
	clauses []spokenVerb // verbs joined to it in the first sentence
	dangers []danger     // one a sentence that speaks of loss, or of money that moves
}

type danger struct {
	phrase string
	risk   air.Risk
}

type spokenVerb struct {
	verb
	word string
}

// readDescription reads the first sentence for verbs and all of them for words of loss. Only the first sentence speaks of the tool for
// certain: later ones say what to call before, and what other tools do.
func readDescription(text string) descriptionReading {
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "")
	}
	var d descriptionReading
	sentences := splitSentences(text)
	if len(sentences) == 0 {
		return d
	}
	words := untilAdvice(textWords(sentences[0]))
	at := 0
	for at < len(words) && fillers[words[at]] {
		at++
	}
	if at < len(words) {
		if v, ok := verbInText(words[at]); ok {
			d.lead = spokenVerb{v, words[at]}
			d.clauses = joinedVerbs(words[at+1:], words[at])
		}
	}
	for _, s := range sentences {
		found, ok := dangerIn(s)
		if !ok {
			found, ok = moneyIn(s)
		}
		if ok {
			d.dangers = append(d.dangers, found)
		}
	}
	return d
}

// untilAdvice cuts a sentence where it begins to say when the tool is of use.
func untilAdvice(words []string) []string {
	for i := range len(words) - 1 {
		if i > 0 && words[i] == "use" && words[i+1] == "when" {
			return words[:i]
		}
	}
	return words
}

// joinedVerbs finds the verbs behind "and", "or" and "then". They must stand in the form of the verb that leads ("Finds ... and deletes",
// "Find ... and delete"), or "lists create and update times" would be a change.
func joinedVerbs(words []string, lead string) (verbs []spokenVerb) {
	thirdPerson := strings.HasSuffix(lead, "s")
	for i := 0; i+1 < len(words); i++ {
		next := words[i+1]
		v, ok := verbInText(next)
		if !ok || !conjunctions[words[i]] || v.ambiguous || !v.class.mutates() || strings.HasSuffix(next, "s") != thirdPerson {
			continue
		}
		verbs = append(verbs, spokenVerb{v, next})
	}
	return verbs
}

// dangerIn returns the phrase by which a sentence says that something is lost for good; none when it is negated.
func dangerIn(sentence string) (danger, bool) {
	lower := strings.ToLower(sentence)
	for _, d := range dangerPhrases {
		before, _, found := strings.Cut(lower, d.phrase)
		if found && !slices.ContainsFunc(textWords(before), func(w string) bool { return negations[w] }) {
			return d, true
		}
	}
	return danger{}, false
}

// splitSentences cuts at sentence ends, line ends and semicolons.
func splitSentences(text string) (sentences []string) {
	start := 0
	add := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			sentences = append(sentences, s)
		}
	}
	for i, r := range text {
		end := r == '\n' || r == ';' || (r == '.' || r == '!' || r == '?') && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n')
		if end {
			add(i)
			start = i + 1
		}
	}
	add(len(text))
	return sentences
}

// textWords returns the words of running text in lower case; markup and punctuation fall away.
func textWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
}

// fromDescription records what the description says. A verb that only might mean a change (run, send, start) yields to a name that
// clearly reads: "Run a search" describes search_code.
func (in *inference) fromDescription(d descriptionReading, n nameReading) {
	pointer := canon.Pointer("description")
	speak := func(v spokenVerb, sure float64) {
		switch {
		case v.class == readVerb:
			in.claim(air.FromDescriptionText, pointer, "verb:"+v.word, sure, air.PredicateKind, air.ValueOf(air.Read))
		case v.class.mutates() && !v.ambiguous && (v.class.dangerous() || !n.reads()):
			in.claimMutation(air.FromDescriptionText, pointer, "verb:"+v.word, sure, v.class.risk())
		}
	}
	speak(d.lead, sureDescription)
	for _, v := range d.clauses {
		speak(v, sureClause)
	}
	for _, found := range d.dangers {
		in.worsen(func() {
			in.claim(air.FromDescriptionText, pointer, "phrase:"+found.phrase, surePhrase, air.PredicateRisk, air.ValueOf(found.risk))
		})
	}
	in.dangers = d.dangers
}
