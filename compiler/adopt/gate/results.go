package gate

import (
	stdcontext "context"
	"errors"
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// ReportsError reports a result of a call that says so, or that says it in a way that two readers could take differently.
func ReportsError(result *canon.Node) bool {
	if !result.IsObject() {
		return false
	}
	said := 0
	for _, m := range result.Members {
		if m.Name != "isError" {
			continue
		}
		failed, ok := m.Value.Bool()
		if said++; failed || !ok || said > 1 {
			return true
		}
	}
	return false
}

// resultVerdict is what is said of one result.
type resultVerdict struct {
	finding diag.Finding
	found   bool
	err     error
}

// CheckResult holds the result of a call against the outputSchema that the tool declares. found is false when it fits, when the tool declares none, and for
// a result that reports an error or is not the last of its call. It fails when it cannot be told, and once the context is done, at once: the check
// then ends by itself. No other document is read, whatever the schema refers to.
func CheckResult(ctx stdcontext.Context, tool surface.Item, result []byte) (f diag.Finding, found bool, err error) {
	v, err := unlessEnded(ctx, func() resultVerdict {
		f, found, err := checkResult(tool, result)
		return resultVerdict{f, found, err}
	})
	if err == nil {
		err = v.err
	}
	if err != nil {
		return diag.Finding{}, false, fmt.Errorf("the result cannot be held against the outputSchema of %s: %w", shownName(tool), err)
	}
	return v.finding, v.found, nil
}

func checkResult(tool surface.Item, result []byte) (f diag.Finding, found bool, err error) {
	declared := tool.Node.Get("outputSchema")
	if declared == nil {
		return f, false, nil
	}
	node, err := canon.Parse(result)
	switch {
	case err != nil:
		return f, false, err
	case !node.IsObject():
		return f, false, errors.New("it is no object")
	case ReportsError(node):
		return f, false, nil
	case node.Get("resultType") != nil && node.Get("resultType").Text() != "complete": // asks for input, or names a task
		return f, false, nil
	}
	content, err := structuredContent(node)
	if err != nil {
		return f, false, err
	}
	if content == nil {
		f := about(outputVsObserved, tool, "/outputSchema", "the result of "+shownName(tool)+" has no structuredContent, and the tool declares an outputSchema", nil)
		f.Hint = "have the server return structuredContent beside the text, or leave the outputSchema out"
		return f.Sealed("absent"), true, nil
	}
	mismatches, err := schema.Mismatches(schema.Analyse(declared), content)
	if err != nil || len(mismatches) == 0 {
		return f, false, err
	}
	first := mismatches[0]
	message := fmt.Sprintf("the result of %s does not fit its outputSchema: %s %s", shownName(tool), quotedText("/structuredContent"+first.Pointer, maxName), refusal(first))
	if more := len(mismatches) - 1; more == 1 {
		message += ", and 1 more place"
	} else if more > 1 {
		message += fmt.Sprintf(", and %d more places", more)
	}
	return about(outputVsObserved, tool, "/outputSchema", message, nil).Sealed(first.Pointer, first.Keyword), true, nil
}

// structuredContent returns the member of a result; nil when there is none.
func structuredContent(result *canon.Node) (content *canon.Node, err error) {
	for _, m := range result.Members {
		if m.Name != "structuredContent" {
			continue
		}
		if content != nil {
			return nil, errors.New("it has structuredContent twice")
		}
		content = m.Value
	}
	return content, nil
}

// refusal words why a place is refused. It quotes names and no values, which are the user's data.
func refusal(m schema.Mismatch) string {
	switch {
	case m.Keyword == "type":
		return fmt.Sprintf("is of type %s, where %s is declared", m.Got, strings.Join(m.Want, " or "))
	case m.Keyword == "required":
		return "lacks " + listed(m.Names)
	case m.Keyword == "additionalProperties" && len(m.Names) > 0:
		return "has " + listed(m.Names) + ", and nothing beside the declared members is allowed"
	case m.Keyword == "":
		return "is there, and nothing is allowed there"
	}
	return fmt.Sprintf("is refused by %q", m.Keyword)
}

// listedNames is how many names a refusal lists.
const listedNames = 3

func listed(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), listedNames)] {
		shown = append(shown, called(name))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - listedNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
