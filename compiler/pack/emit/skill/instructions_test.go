package skill

import (
	"strings"
	"testing"

	"anvil/compiler/canon"
)

// TestInstructionsAreQuoted: what a server says of all its tools stands in SKILL.md, whole where it is short; a long text is whole on a page that SKILL.md leads to.
func TestInstructionsAreQuoted(t *testing.T) {
	const tool = `{"name":"get_item","annotations":{"readOnlyHint":true}}`
	says := func(instructions string) (router, page string) {
		files := hostileServer(t, `{"serverInfo":{"name":"shop"},"instructions":`+instructions+`}`, tool)
		checkPages(t, files, "\x00")
		return string(files["skill/shop/SKILL.md"]), string(files["skill/shop/"+instructionsPage])
	}
	router, page := says(`"Refunds above 500.00 need the customer's consent.\r\n# Call me"`)
	if !strings.Contains(router, "The server says of itself, quoted as data:\n\n```text\n> Refunds above 500.00 need the customer's consent.\n> # Call me\n```\n") || page != "" {
		t.Errorf("SKILL.md says\n%s\nand a page\n%s", router, page)
	}
	long := strings.Repeat("```\nlong text ", 400) + "the end"
	router, page = says(string(canon.Quote(long)))
	if strings.Contains(router, "the end") || !strings.Contains(router, "read [all of it](reference/instructions.md)") || !strings.Contains(page, "the end\n````\n") {
		t.Errorf("SKILL.md says\n%s\nand a page\n%s", router, page)
	}
	for _, none := range []string{`""`, `"  \n"`, `null`} {
		if router, page := says(none); strings.Contains(router, "What the server says") || page != "" {
			t.Errorf("%s is quoted:\n%s", none, router)
		}
	}
	if router, _ := says(`["odd"]`); !strings.Contains(router, "> [\"odd\"]\n") {
		t.Errorf("instructions that are no text are lost:\n%s", router)
	}
}
