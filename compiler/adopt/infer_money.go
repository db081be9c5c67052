package adopt

import (
	"slices"
	"strings"

	"anvil/compiler/air"
)

// determiners stand before what a verb is done to: "refunds the payment" moves money, "refunds are listed" names some. "That" and "any" are none: they begin
// what is told of a noun as well ("refunds that were made", "refunds any customer got").
var determiners = wordSet(`a all an each every her his it its my our the their them these this those your`)

// plainMoney are the verbs of money that mean little else; others ("order", "transfer") move it only where a sum or money itself is what they are done to.
var plainMoney = wordSet(`buy charge debit deposit pay purchase refund reimburse remit withdraw`)

// movers are no verbs of money, and move it where it is what they are done to.
var movers = wordSet(`deduct disburse move send`)

// money is what is moved, in words.
var money = wordSet(`cash funds money payment payments salary`)

// owed are who and what is paid or charged without an article: "pays invoices".
var owed = wordSet(`accounts bills buyers cards clients customers employees fees guests invoices members merchants orders payees people salaries sellers subscribers suppliers
	taxes tenants users vendors wages`)

// A deed of money may be a noun, behind a verb that says only that it is done: "issues a refund".
var (
	doing     = wordSet(`execute initiate issue make perform place process submit trigger`)
	doneDeeds = wordSet(`charge debit deposit payment payments payout purchase refund refunds reimbursement withdrawal`)
	qualities = wordSet(`full immediate instant new partial single`)
)

// takenBack is what is withdrawn without any money moving.
var takenBack = wordSet(`application bid claim consent invitation invite move nomination offer request submission`)

// Words around a deed.
var (
	doers        = wordSet(`a an api call command each endpoint every function it method operation request that the this tool which`) // before it: of the tool itself
	adverbs      = wordSet(`also always automatically directly immediately instantly permanently silently then thereby will`)
	wayIn        = wordSet(`after before by thereby upon when while`) // begin a clause of what is done besides: "after paying it"
	turns        = wordSet(`and but then`)                            // end what a negation takes back
	restrictions = wordSet(`just merely only`)                        // "not only reads"
	conditions   = wordSet(`after because before if once that unless until when whether which while how what who why where`)
	auxiliaries  = wordSet(`are be gets is`)
	nounVerbs    = wordSet(`are were was`) // tell that what stood before was a noun: "refunds the customer got are listed"
	participles  = wordSet(`billed charged debited refunded reimbursed`)
)

// moneyIn returns the words by which a sentence says that money moves, wherever it stands in a description: a verb of money in the form in which a tool's deeds are
// told, with what it is done to behind it. A negation takes back its own clause.
func moneyIn(sentence string) (danger, bool) {
	negated := false
	for _, c := range clausesOf(sentence) {
		var phrase string
		if phrase, negated = c.money(negated && c.comma && slices.Contains(c.words, "or")); phrase != "" {
			return danger{phrase, air.RiskFinancial}, true
		}
	}
	return danger{}, false
}

// clause is a part of a sentence in which something may be told anew.
type clause struct {
	words []string
	comma bool // it begins behind a comma
}

// clausesOf cuts a sentence at brackets, dashes, colons and commas.
func clausesOf(sentence string) (all []clause) {
	start, comma := 0, false
	cut := func(end, next int, atComma bool) {
		if words := moneyWords(sentence[start:end]); len(words) > 0 {
			all = append(all, clause{words, comma})
			comma = atComma
		}
		start = next
		comma = comma && atComma || atComma
	}
	for i, r := range sentence {
		rest := sentence[i+len(string(r)):]
		ends := rest == "" || rest[0] == ' '
		switch {
		case r == '(' || r == ')' || r == '—' || r == '–' || r == ':' && ends || r == '-' && ends && (i == 0 || sentence[i-1] == ' '):
			cut(i, i+len(string(r)), false)
		case r == ',' && ends:
			cut(i, i+1, true)
		}
	}
	cut(len(sentence), len(sentence), false)
	return all
}

// money returns the words by which the clause says that money moves, and whether it ends negated.
func (c clause) money(negated bool) (phrase string, still bool) {
	for i, word := range c.words {
		next := c.at(i + 1)
		switch {
		case (negations[word] || strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t")) && !restrictions[next]:
			negated = true
		case turns[word]:
			negated = false
		}
		if negated {
			continue
		}
		if verb := c.deed(i); verb != "" && c.moves(verb, i) {
			return strings.TrimSpace(word + " " + strings.TrimSuffix(next, sum)), false
		}
		if c.isDone(i) {
			return c.words[i-1] + " " + word, false
		}
	}
	return "", negated
}

func (c clause) at(i int) string {
	if i < len(c.words) {
		return c.words[i]
	}
	return ""
}

// deed returns the verb that the i-th word is, where the clause tells by it what is done: "" for any other word.
func (c clause) deed(i int) string {
	word := c.words[i]
	if stem, ok := strings.CutSuffix(word, "ing"); ok {
		if i > 0 && wayIn[c.words[i-1]] || i == 0 && c.comma {
			return moving(stem, stem+"e", undoubled(stem))
		}
		return ""
	}
	at := i
	for at > 0 && adverbs[c.words[at-1]] {
		at--
	}
	joined := at > 0 && conjunctions[c.words[at-1]] || at < i && c.words[at] == "then"
	alone := !slices.ContainsFunc(c.words[:at], func(w string) bool { return !doers[w] && !adverbs[w] })
	if meant := at > 1 && c.words[at-1] == "to" && c.saysItsUse(at-1); meant {
		return moving(word)
	} else if !joined && !alone {
		return ""
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok {
		if verb := moving(stem, strings.TrimSuffix(word, "es")); verb != "" {
			return verb
		}
	}
	if _, ordered := verbs[c.words[0]]; at == 0 && !c.comma || joined && ordered || slices.Contains(c.words[at:i], "will") {
		return moving(word)
	}
	return ""
}

// saysItsUse reports a clause that begins, up to a word, with what the tool is for: "use this endpoint to ...".
func (c clause) saysItsUse(end int) bool {
	uses := func(w string) bool {
		return w == "use" || w == "used" || w == "allows" || w == "lets" || w == "enables"
	}
	return slices.ContainsFunc(c.words[:end], uses) && !slices.ContainsFunc(c.words[:end], func(w string) bool { return !uses(w) && !doers[w] && w != "you" && w != "is" })
}

// moves reports a verb, the i-th word, that is done to money, or to what nothing else is done to by a verb of money.
func (c clause) moves(verb string, i int) bool {
	next, at := c.at(i+1), i+1
	if next == sum {
		return !doing[verb]
	}
	for determiners[c.at(at)] || qualities[c.at(at)] {
		at++
	}
	switch {
	case doing[verb]:
		return doneDeeds[c.at(at)] && !c.names(at)
	case money[c.at(at)] && !c.names(at):
		return true
	}
	if verb == "withdraw" && takenBack[c.at(at)] {
		return false
	}
	return plainMoney[verb] && (determiners[next] && !c.isNoun(i) || owed[next] && !nounVerbs[c.at(i+2)])
}

// names reports a word that stands before what it only describes: the payment of a payment method.
func (c clause) names(i int) bool {
	next := c.at(i + 1)
	return doneDeeds[c.at(i)] && next != "" && !strings.HasSuffix(next, "ly") && !prepositions[next] && !conjunctions[next] && !conditions[next] && !adverbs[next]
}

// isNoun reports a word that looks like a verb and begins what something is told of: "charges the card bore are listed".
func (c clause) isNoun(i int) bool {
	for _, word := range c.words[i+1:] {
		if conditions[word] {
			return false
		}
		if nounVerbs[word] {
			return i == 0
		}
	}
	return false
}

// isDone reports a participle by which the clause tells what happens to somebody: "the customer is refunded".
func (c clause) isDone(i int) bool {
	if i == 0 || !participles[c.words[i]] {
		return false
	}
	at := i - 1
	for at > 0 && adverbs[c.words[at]] && c.words[at] != "will" {
		at--
	}
	subject := c.words[:at]
	others := func(w string) bool { return conditions[w] || negations[w] || nounVerbs[w] }
	return auxiliaries[c.words[at]] && len(subject) > 0 && determiners[subject[0]] && !slices.ContainsFunc(subject, others) &&
		!slices.ContainsFunc(subject[1:], func(w string) bool { return determiners[w] })
}

// sum stands for an amount of money among words.
const sum = "$"

// currencies are spelled as codes, in capitals, or as words.
var (
	currencyCodes = wordSet(`AUD BRL BTC CAD CHF CNY CZK DKK ETH EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN SEK SGD TRY USD USDC USDT ZAR`)
	currencies    = wordSet(`cents dollar dollars euro euros pounds rupees yen`)
)

// moneyWords are the words of a clause, with sums in their places.
func moneyWords(text string) (words []string) {
	number := false
	for _, field := range strings.Fields(text) {
		bare := strings.TrimFunc(field, func(r rune) bool { return strings.ContainsRune(".,;:!?()*_`'\"", r) })
		isNumber := bare != "" && strings.Trim(bare, "0123456789.,") == ""
		switch {
		case strings.ContainsAny(field, "$€£¥") || currencyCodes[bare] || number && currencies[strings.ToLower(bare)] || currencyCodes[strings.TrimLeft(bare, "0123456789.,")]:
			words = append(words, sum)
		case !isNumber:
			words = append(words, textWords(field)...)
		}
		number = isNumber
	}
	return words
}

// moving is the one of several spellings that is a verb by which money moves, if it does; "" when none is.
func moving(spellings ...string) string {
	for _, s := range spellings {
		if verbs[s].class == financialVerb || movers[s] || doing[s] {
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
