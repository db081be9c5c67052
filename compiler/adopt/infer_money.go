package adopt

import (
	"strings"

	"anvil/compiler/air"
)

// determiners stand before what a verb is done to: "refunds the payment" moves money, "refunds are listed" names some.
var determiners = wordSet(`a all an any each every her his it its my our that the their them these this those your`)

// plainMoney are the verbs of money that mean little else; others ("order", "transfer") move it only where a sum or money itself is what they are done to.
var plainMoney = wordSet(`buy charge debit deposit pay purchase refund reimburse remit withdraw`)

// money is what is moved, in words.
var money = wordSet(`cash funds money payment payments salary`)

// wayIn begin a clause of what is done besides: "after paying it".
var wayIn = wordSet(`after before by upon when while`)

// moneyIn returns the words by which a sentence says that money moves, wherever it stands in a description: a verb of money in the form in which a tool's deeds are
// told, with what it is done to behind it. None when it is negated before.
func moneyIn(sentence string) (danger, bool) {
	words := moneyWords(sentence)
	for i := 0; i+1 < len(words); i++ {
		word, next := words[i], words[i+1]
		if negations[word] {
			return danger{}, false
		}
		var verb string
		switch leads := i == 0 || i == 1 && fillers[words[0]] || conjunctions[words[i-1]]; {
		case leads && strings.HasSuffix(word, "s"):
			verb = financial(strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "es"))
		case i > 0 && wayIn[words[i-1]] && strings.HasSuffix(word, "ing"):
			stem := strings.TrimSuffix(word, "ing")
			verb = financial(stem, stem+"e", undoubled(stem))
		}
		if verb != "" && (next == sum || money[next] || plainMoney[verb] && determiners[next]) {
			return danger{strings.TrimSpace(word + " " + strings.TrimSuffix(next, sum)), air.RiskFinancial}, true
		}
	}
	return danger{}, false
}

// sum stands for an amount of money among words.
const sum = "$"

// moneyWords are the words of a sentence, with sums in their places.
func moneyWords(sentence string) (words []string) {
	for _, field := range strings.Fields(sentence) {
		if strings.ContainsAny(field, "$€£¥") {
			words = append(words, sum)
			continue
		}
		words = append(words, textWords(field)...)
	}
	return words
}

// financial is the one of several spellings that is a verb of money, "" when none is.
func financial(spellings ...string) string {
	for _, s := range spellings {
		if verbs[s].class == financialVerb {
			return s
		}
	}
	return ""
}

// undoubled takes the doubled letter of "transferring" back.
func undoubled(s string) string {
	if n := len(s); n > 2 && s[n-1] == s[n-2] {
		return s[:n-1]
	}
	return s
}
