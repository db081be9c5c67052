package diff

import (
	"regexp"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

const shopBefore = `{"initialize":{"serverInfo":{"name":"shop","version":"1.2.0"},"capabilities":{"tools":{}}},
"tools":[{"name":"search","description":"Find goods.\nReturns a list.\nSorted by price.","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]},"annotations":{"readOnlyHint":true}},
{"name":"order","description":"Order goods.","inputSchema":{"type":"object"}}]}`

const shopAfter = `{"initialize":{"serverInfo":{"name":"shop","version":"1.3.0"},"capabilities":{"tools":{}}},
"tools":[{"name":"search","description":"Find goods.\nReturns a page.\nSorted by price.","inputSchema":{"type":"object","properties":{"query":{"type":"string","maxLength":9,"pattern":"^a"},"limit":{"type":"integer"}},"required":["query","limit"]}},
{"name":"refund","description":"Pay back.","inputSchema":{"type":"object"}}]}`

func TestMarkdown(t *testing.T) {
	old, now := capture(t, []byte(shopBefore)), capture(t, []byte(shopAfter))
	d := compared(old, now)
	golden(t, "golden/CHANGES.md", Markdown(old, now, Judge(d), diag.PageOptions{All: "changes.json"}))
	encoded, err := canon.Encode(Report(Judge(d)))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "golden/changes.json", encoded)
	if got := string(Markdown(old, old, nil, diag.PageOptions{All: "changes.json"})); !strings.Contains(got, "Nothing changed.") {
		t.Errorf("report of nothing: %s", got)
	}
}

// span matches a code span with its delimiters, and code in a line of HTML, which has no tag or entity of its own.
var span = regexp.MustCompile("<code>[^<>]*</code>|`[^`]+`|`` .*? ``|``` .*? ```|```` .*? ````")

// TestHostileText puts text that would break out of Markdown everywhere a server can put text. It stays inside spans and fences.
func TestHostileText(t *testing.T) {
	evils := []string{"evil\n```\n# evil", "``` evil", "`evil`", "<evil>", "[evil](http://evil)", "@evil", "evil\x1b[31m", "evil\u202e|evil", "``evil", "evil`", "- evil\r\n+ evil",
		"~~~\nevil", "    evil", "\u2028evil", "````\nevil\n````", "evil\\"}
	base := `{"initialize":{"serverInfo":{"name":"a","version":"1"}},"tools":[{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}}}]}`
	for _, evil := range evils {
		q := string(canon.Quote(evil))
		now := capture(t, []byte(`{"initialize":{"serverInfo":{"name":`+q+`,"version":`+q+`},"capabilities":{`+q+`:{}},"instructions":`+q+`,`+q+`:`+q+`},"protocolVersion":`+q+`,
"tools":[{"name":"t","title":`+q+`,"description":`+q+`,"inputSchema":{"type":"object","properties":{`+q+`:{"type":"string"},"p":{"enum":[`+q+`],"x-k":[`+q+`],"title":`+q+`}},"required":["p",`+q+`]},"_meta":{`+q+`:{`+q+`:1}}},{"name":`+q+`}],
"prompts":[{"name":`+q+`}],"resources":[{"uri":`+q+`}],"resourceTemplates":[{"uriTemplate":`+q+`}]}`))
		old := capture(t, []byte(base))
		d := compared(old, now)
		findings := Judge(d)
		checkFilled(t, findings)
		checkContained(t, Markdown(old, now, findings, diag.PageOptions{All: "changes.json"}))
		back := compared(now, old)
		checkContained(t, Markdown(now, old, Judge(back), diag.PageOptions{All: "changes.json"}))
	}
}

func checkContained(t *testing.T, text []byte) {
	t.Helper()
	fence := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if diag.Printable(line) != line {
			t.Errorf("invisible text in %q", line)
		}
		opens := strings.HasPrefix(line, "```") && (strings.HasSuffix(line, "`diff") || strings.HasSuffix(line, "`sh"))
		switch {
		case fence == "" && opens:
			fence = strings.TrimSuffix(strings.TrimSuffix(line, "diff"), "sh")
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			if strings.HasPrefix(strings.TrimLeft(line, " "), fence) || !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "+ ") && !strings.HasPrefix(line, "  (") && !strings.HasPrefix(line, "anvil mcp call SERVER ") {
				t.Errorf("line in a fence: %q", line)
			}
		case strings.Contains(span.ReplaceAllString(line, ""), "evil"):
			t.Errorf("text outside of spans: %q", line)
		}
	}
	if fence != "" {
		t.Errorf("fence %s stays open", fence)
	}
}
