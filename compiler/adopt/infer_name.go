package adopt

import (
	"slices"
	"strings"

	"anvil/compiler/adopt/grouping"
	"anvil/compiler/air"
	"anvil/compiler/canon"
)

// actingVerb is a verb of a name that says what the tool does, and how sure that reading is.
type actingVerb struct {
	verb
	at   int // index of the word
	sure float64
}

// nameReading is what a tool's name says, word by word.
type nameReading struct {
	words  []string
	acting []actingVerb // the verb that decides, then those joined to it by "and", "or", "then"
	noun   bool         // the name is a noun, though it opens with what could be a verb
}

// readName finds the acting verbs. The first verb decides, with exceptions, all of them for words that are nouns as well: a name that
// ends in a clear verb is noun_verb (order_list, list_archive), and one whose noun is followed by a clear verb is too (mail_get_webhook);
// one that ends in a word like "history" is a noun (order_history); and behind a noun an ambiguous word counts only as long as the
// description does not open with a reading verb (blog_post_comments). Versions and articles are no words.
func readName(words []string, described bool) nameReading {
	n := nameReading{words: slices.DeleteFunc(slices.Clone(words), idle)}
	first := 0
	for ; first < len(n.words); first++ {
		if _, ok := verbOf(n.words[first]); ok && !n.secondOfPair(first) {
			break
		}
	}
	if first == len(n.words) {
		return n
	}
	v, _ := verbOf(n.words[first])
	at, sure := first, sureLeadingVerb
	if first > 0 {
		sure = sureInnerVerb
	}
	if v.ambiguous {
		other, takesOver := n.takenOver(first)
		switch {
		case takesOver:
			at, sure = other, sureInnerVerb
			v, _ = verbOf(n.words[at])
		case v.class == readVerb:
		case first == 0 && n.words[0] != "post" && len(n.words) > 1 && inSet(nounHeads, n.words[len(n.words)-1]):
			n.noun = true
			return n
		case first > 0 && described:
			return n
		default:
			sure = sureAmbiguous
		}
	}
	n.acting = append(n.acting, n.judged(v, at, sure))
	for i := at + 1; i+1 < len(n.words); i++ {
		if joined, ok := verbOf(n.words[i+1]); ok && conjunctions[n.words[i]] {
			n.acting = append(n.acting, n.judged(joined, i+1, sureInnerVerb))
		}
	}
	return n
}

// secondOfPair reports a word that is a noun because of the one before it: the "request" of pull_request.
func (n nameReading) secondOfPair(at int) bool {
	return at > 0 && slices.ContainsFunc(baseForms(n.words[at-1]), func(w string) bool { return nounPairs[w+"-"+n.words[at]] })
}

// idle reports a word that says nothing: an article, or a version.
func idle(word string) bool {
	if word == "a" || word == "an" || word == "the" {
		return true
	}
	digits, ok := strings.CutPrefix(word, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// takenOver returns the verb before which the ambiguous word at first is but a noun: a clear one at the end of the name or,
// unless the word reads (list_merge_requests), right behind it.
// "list" counts as clear, and "search" does behind anything but a word that would run it (run_search runs).
func (n nameReading) takenOver(first int) (at int, ok bool) {
	noun, _ := verbOf(n.words[first])
	last := len(n.words) - 1
	for _, at := range []int{first + 1, last} {
		if at <= first || at > last || at < last && noun.class == readVerb {
			continue
		}
		v, known := verbOf(n.words[at])
		switch {
		case !known:
		case v.class == readVerb && noun.class == readVerb:
		case n.words[at] == "list", n.words[at] == "search" && (noun.class != highVerb || n.words[first] == "post"),
			n.words[at] == "query" && n.words[first] == "post", !v.ambiguous && v.class != neutralVerb:
			return at, true
		}
	}
	return 0, false
}

// judged corrects a verb by the words around it: a screenshot is captured, a branch checked out and a folder transferred without money moving, and
// what a snapshot is restored over is gone.
func (n nameReading) judged(v verb, at int, sure float64) actingVerb {
	near := func(set map[string]bool) bool {
		return slices.ContainsFunc(n.words, func(w string) bool { return inSet(set, w) })
	}
	switch {
	case n.words[at] == "capture" && near(notCapture):
		v.class, v.action = neutralVerb, air.ActionOther
	case n.words[at] == "checkout" && near(versionControl):
		v.class, v.action = writeVerb, air.ActionUpdate
	case n.words[at] == "transfer" && near(notTransfer):
		v.class, v.action = writeVerb, air.ActionUpdate
	case n.words[at] == "release" && near(held):
		v.class, v.action = writeVerb, air.ActionUpdate
	case n.words[at] == "evaluate" && near(notEvaluated):
		v.class, v.action = neutralVerb, air.ActionOther
	case n.words[at] == "restore" && near(savedStates):
		v.class = destructiveVerb
	}
	return actingVerb{v, at, sure}
}

// class returns the worst class among the acting verbs.
func (n nameReading) class() verbClass {
	worst := unknownVerb
	for _, a := range n.acting {
		worst = max(worst, a.class)
	}
	return worst
}

// reads reports a name whose only verbs are clear reads.
func (n nameReading) reads() bool { return n.class() == readVerb }

func (n nameReading) action() air.Action {
	for _, a := range n.acting {
		if noun := n.about(); a.class == readVerb && a.class == n.class() && a.action == air.ActionGet && len(noun) > 0 && noun[len(noun)-1] == "list" {
			return air.ActionList // get_user_list
		}
		if a.class == n.class() {
			return a.action
		}
	}
	return air.ActionOther
}

// resource is the noun of the name in the singular, "" when there is none.
func (n nameReading) resource() string {
	noun := slices.Clone(n.about())
	if len(noun) == 0 {
		return ""
	}
	noun[len(noun)-1] = grouping.Singular(noun[len(noun)-1])
	return strings.Join(noun, "_")
}

// about are the words that the verb is about: what follows it up to a preposition, or else what stands in front of it.
func (n nameReading) about() []string {
	if len(n.acting) == 0 {
		return nil
	}
	after := n.words[n.acting[len(n.acting)-1].at+1:]
	if i := slices.IndexFunc(after, func(w string) bool { return prepositions[w] || conjunctions[w] }); i >= 0 {
		after = after[:i]
	}
	if len(after) == 0 {
		return n.words[:n.acting[0].at]
	}
	return after
}

// fromName records what the name's verbs and nouns say.
func (in *inference) fromName(n nameReading) {
	pointer := canon.Pointer("name")
	for _, a := range n.acting {
		switch {
		case a.class == readVerb:
			in.claim(air.FromName, pointer, "verb:"+n.words[a.at], a.sure, air.PredicateKind, air.ValueOf(air.Read))
		case a.class.mutates():
			in.claimMutation(air.FromName, pointer, "verb:"+n.words[a.at], a.sure, a.class.risk())
		}
	}
	switch {
	case n.noun:
		return
	case n.class() != readVerb && n.class() != neutralVerb:
		in.fromNouns(n, pointer)
		return
	}
	for _, w := range n.words[n.acting[0].at+1:] {
		if v, ok := verbOf(w); ok && v.class.dangerous() && !v.ambiguous {
			in.note("the name reads as %q, and also holds the word %q", n.words[n.acting[0].at], w)
		}
	}
}

// fromNouns raises the risk of a change to money, or of making what is sent to people. A name without any verb shows no change, so its
// nouns speak of risk alone.
func (in *inference) fromNouns(n nameReading, pointer string) {
	for i, w := range n.words {
		pair := ""
		if i > 0 {
			pair = n.words[i-1] + "-" + grouping.Singular(w)
		}
		transfer := grouping.Singular(w) == "transfer" && slices.ContainsFunc(n.words, func(w string) bool { return inSet(notTransfer, w) })
		switch {
		case moneyPairs[pair], inSet(moneyNouns, w) && !notMoney[pair] && !transfer:
			in.nounClaim(n, pointer, w, air.RiskFinancial)
		case n.class().mutates() && n.givesAccess(w, pair):
			in.nounClaim(n, pointer, w, air.RiskHigh)
		}
	}
	if about := n.about(); len(about) > 0 && n.action() == air.ActionCreate && n.words[n.acting[0].at] != "draft" {
		if w := about[len(about)-1]; inSet(outboundNouns, w) {
			in.nounClaim(n, pointer, w, air.RiskHigh)
		}
	}
}

// givesAccess reports a noun that lets somebody in once the verb is done with it: a credential that is set, or a member that is added.
func (n nameReading) givesAccess(word, pair string) bool {
	return inSet(credentials, word) || keyPairs[pair] || inSet(members, word) && n.action() == air.ActionCreate
}

func (in *inference) nounClaim(n nameReading, pointer, word string, risk air.Risk) {
	if n.class().mutates() {
		in.claimMutation(air.FromName, pointer, "noun:"+word, sureNoun, risk)
		return
	}
	in.worsen(func() { in.claim(air.FromName, pointer, "noun:"+word, sureNoun, air.PredicateRisk, air.ValueOf(risk)) })
}
