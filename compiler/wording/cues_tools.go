package wording

import "strings"

// ordering is what stands in front of a tool's name in an order to the model, and toolWords what may stand between the two.
var (
	ordering  = words("call invoke use run execute trigger using calling invoking avoid skip of than")
	toolWords = words("a an any the your its native built-in builtin shell terminal tool tools function named called host's client's only")
)

// tools looks for orders to call or avoid a tool that is not the server's own, one of a host or of a common server, and for orders not to call
// another of the server's, which are Own. Which of its tools have to be called before, a description may well say.
func (c *collector) tools(all []word) {
	for i, w := range all {
		if c.count[OtherTool] >= MostCues {
			return
		}
		own := w.text != c.home.Self && strings.ContainsAny(w.text, "_-") && c.home.Tool != nil && c.home.Tool(w.text)
		foreign := !own && w.text != c.home.Self && hostTools[w.text] && (w.text != "bash" || c.namesTool(all[i:]))
		if !own && !foreign {
			continue
		}
		for j := i - 1; j >= max(0, i-5) && !all[j].ends && !all[j].breaks; j-- {
			if foreign && ordering[all[j].text] || own && avoiding(all[:j+1]) {
				before := len(c.cues)
				c.add(OtherTool, all[j].from, w.to)
				for ; before < len(c.cues); before++ {
					c.cues[before].Own = own
				}
			}
			if !toolWords[all[j].text] {
				break
			}
		}
	}
}

// avoiding reports whether words end in an order not to use what follows.
func avoiding(words []word) bool {
	last := len(words) - 1
	return words[last].text == "avoid" || words[last].text == "skip" || last > 0 && ordering[words[last].text] && words[last-1].text == "dont" && !words[last-1].ends
}

// namesTool reports whether the first word, which is one of the language too, stands there as the name of a tool.
func (c *collector) namesTool(words []word) bool {
	if words[0].ends || len(words) == 1 || c.text[words[0].to] != ' ' {
		return true
	}
	return behindTool[words[1].text]
}

var behindTool = words("tool to instead for or and via first directly")

// hostTools are tools that hosts have built in or that widely used servers bring, by names that are no ordinary words.
var hostTools = words(`bash webfetch websearch web_search web_fetch todowrite todo_write multiedit notebookedit notebook_edit
	str_replace_editor read_file write_file edit_file
	create_file delete_file list_directory list_dir run_command execute_command run_terminal_cmd run_in_terminal codebase_search grep_search file_search
	send_email send_message fetch_url http_request execute_sql computer_use text_editor apply_patch mcp__filesystem mcp__github`)
