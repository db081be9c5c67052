package wording

import (
	"strings"

	"anvil/internal/lazy"
)

// markup looks for what is written like a part of a prompt: tags, marks of chat templates, turns of a conversation, and comments.
func (c *collector) markup() {
	if strings.IndexByte(c.text, '<') >= 0 {
		c.tags()
		c.comments()
		c.all(Markup, templateMark)
		c.all(Markup, unshown)
	}
	if strings.Contains(c.text, "role") {
		c.all(Markup, turnValue)
	}
	if strings.IndexByte(c.text, '[') >= 0 {
		c.brackets()
	}
	if strings.IndexByte(c.text, ':') >= 0 || strings.Contains(c.text, "###") {
		c.turns()
	}
}

// brackets looks for marks in brackets. A word alone in them may be the name of a section: it has to lead an order, of some words.
func (c *collector) brackets() {
	const order = 3 // words
	for _, m := range bracketMark.FindAllStringIndex(c.text, 4*MostCues) {
		line, _, _ := strings.Cut(c.text[m[1]:min(len(c.text), m[1]+200)], "\n")
		plain := strings.Trim(c.text[m[0]:m[1]], "[]")
		if inst := plain == "inst" || plain == "/inst"; inst || strings.ContainsAny(plain, ": ") || len(wordsOf(line)) >= order {
			c.add(Markup, m[0], m[1])
		}
	}
}

// all records each match of the pattern.
func (c *collector) all(class Class, pattern *lazy.Regexp) {
	for _, m := range pattern.FindAllStringIndex(c.text, MostCues) {
		c.add(class, m[0], m[1])
	}
}

var (
	// templateMark are the marks that chat templates put between turns: <|im_start|>, <<SYS>>, <start_of_turn>.
	templateMark = lazy.MustCompile(`<\|/?[a-z][a-z0-9_.▁ -]{0,30}\|>|<</?sys>>|</?(start|end)_of_turn>|<(begin|end)▁of▁sentence>`)
	bracketMark  = lazy.MustCompile(`\[/?inst\]|\[(system|admin|administrator|developer|assistant|operator|root|sudo|jailbreak|internal)` +
		`(?: (message|note|prompt|instruction|instructions|override|alert|notice|update|command|directive|warning|mode|info|error|policy|only))?(?:\]|: ?[^\]\n]{2,200}\])`)

	// turnValue is a turn of a conversation as an interface of models has it; unshown is an element that a page does not show.
	turnValue = lazy.MustCompile(`"role"\s{0,3}:\s{0,3}"(system|developer|assistant)"\s{0,3},\s{0,3}"content"\s{0,3}:`)
	unshown   = lazy.MustCompile(`<[a-z][a-z0-9]{0,9}\s[^<>\n]{0,100}style\s?=\s?["'][^"'<>\n]{0,100}(display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0[;"'])`)

	// tag is an opening or closing tag by its name.
	tag = lazy.MustCompile(`</?([a-z][a-z0-9_:-]{1,30})(\s[^<>\n]{0,100})?/?>`)
)

// promptTags are tags of prompts and of calls of tools, which are nothing else. plainTags are words that are placeholders too ("<user>@host").
var (
	promptTags = words(`system-reminder system_reminder system_prompt system-prompt systemprompt function_calls function_call function_results function_result
		invoke tool_call tool_calls tool_use tool_result tool_results tool_response tool_code parameter_name assistant_response
		antml:invoke antml:function_calls antml:parameter untrusted_content user_query additional_instructions hidden_instructions
		important_instructions priority_instructions`)
	plainTags = words(`system user assistant human admin developer important instructions instruction secret hidden critical prompt override urgent warning`)
	orderTags = words(`system assistant important instructions instruction secret hidden critical prompt override urgent`)
)

// tags looks for tags of prompts. One that could be a placeholder has to be closed behind some words, or to begin a line that goes on.
func (c *collector) tags() {
	found := tag.FindAllStringSubmatchIndex(c.text, 4*MostCues)
	for i, m := range found {
		name := c.text[m[2]:m[3]]
		switch {
		case promptTags[name], plainTags[name] && (c.pairs(found, i) || c.leads(name, m)):
			c.add(Markup, m[0], m[1])
		}
	}
}

// pairs reports a tag that has its counterpart, with a sentence between the two.
func (c *collector) pairs(tags [][]int, i int) bool {
	const sentence = 2 // words
	closes := c.text[tags[i][0]+1] == '/'
	step, end := 1, min(len(tags), i+9)
	if closes {
		step, end = -1, max(-1, i-9)
	}
	for j := i + step; j != end; j += step {
		same := c.text[tags[j][2]:tags[j][3]] == c.text[tags[i][2]:tags[i][3]]
		if same && (c.text[tags[j][0]+1] == '/') != closes {
			from, to := min(tags[i][1], tags[j][1]), max(tags[i][0], tags[j][0])
			return len(wordsOf(c.text[from:min(to, from+200)])) >= sentence
		}
	}
	return false
}

// leads reports an opening tag in front of an order: it begins a line or a sentence, and more words follow in the line. In backticks it is quoted.
func (c *collector) leads(name string, m []int) bool {
	before := strings.TrimRight(c.text[max(0, m[0]-8):m[0]], " \t*#>")
	begins := before == "" || strings.IndexByte("\n.!?:", before[len(before)-1]) >= 0
	line, _, _ := strings.Cut(c.text[m[1]:min(len(c.text), m[1]+200)], "\n")
	return orderTags[name] && begins && !strings.HasPrefix(line, "`") && len(wordsOf(line)) >= 2
}

// comments looks for comments of HTML with words in them: a reader of Markdown does not see them.
func (c *collector) comments() {
	const opens, closes = "<!--", "-->"
	c.each(Markup, opens, func(from int) int {
		at := from + len(opens)
		inside, _, _ := strings.Cut(c.text[at:min(len(c.text), at+2000)], closes)
		if len(wordsOf(inside)) >= 3 {
			c.add(Markup, from, at+len(inside))
		}
		return at + len(inside)
	})
}

// turns looks for turns of a conversation and headings of a prompt at the beginning of lines. Names of parameters stand there too: one turn of the
// user alone, or one of the system at the very beginning, is a word in front of what it means.
func (c *collector) turns() {
	type place struct {
		speaker  string
		from, to int
	}
	var found []place
	speakers := map[string]bool{}
	for from := 0; from < len(c.text) && len(found) < MostCues; {
		line, _, _ := strings.Cut(c.text[from:], "\n")
		name := strings.TrimLeft(line, " \t>#*")
		at := from + len(line) - len(name)
		word := name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))]
		rest := strings.TrimLeft(name[len(word):], "* \t")
		if promptHeads[word] && strings.Contains(line[:len(line)-len(name)], "##") && (strings.Trim(rest, ":* \t") == "" || rest[0] == ':') {
			c.add(Markup, at, at+len(word))
		}
		if turnOf[word] && strings.HasPrefix(rest, ":") && strings.Trim(rest, ":* \t\r") != "" && !explains(word, rest) {
			found = append(found, place{word, at, at + len(word) + 1})
			speakers[word] = true
		}
		from += len(line) + 1
	}
	for _, p := range found {
		if p.speaker == "human" || p.speaker == "assistant" || p.speaker == "system" && p.from > 0 || len(speakers) > 1 {
			c.add(Markup, p.from, p.to)
		}
	}
}

// explains reports what stands behind the name of a parameter: "user: the user to look up".
func explains(name, rest string) bool {
	words := wordsOf(rest[:min(len(rest), 60)])
	return len(words) > 1 && (words[0].text == "the" || words[0].text == "a" || words[0].text == "an") && words[1].text == name ||
		len(words) > 1 && (words[0].text == "id" || words[0].text == "name") && words[1].text == "of"
}

var (
	turnOf      = words("human assistant system user ai")
	promptHeads = words("system instruction human assistant")
)
