package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

func checkNoTools(s *survey) []diag.Finding {
	if len(s.Tools()) > 0 {
		return nil
	}
	f := noTools.Finding("server", "the server announces tools and lists none")
	f.Pointer, f.Hint = "/tools", "check the credentials and settings the server needs, and look at its log"
	if s.Capabilities.Get("tools") == nil {
		f.Class, f.Message, f.Hint = diag.Info, "the server announces no tools", ""
	}
	return []diag.Finding{f.Sealed()}
}

func checkMalformedItem(s *survey) []diag.Finding {
	var findings []diag.Finding
	for _, kind := range surface.Kinds {
		for _, it := range s.Items[kind] {
			message := ""
			switch {
			case !it.Node.IsObject():
				message = fmt.Sprintf("a %s is no object", kind)
			case it.Name == "":
				message = fmt.Sprintf("a %s has no %s that is text", kind, kind.Key())
			default:
				continue
			}
			f := about(malformedItem, it, "", message, it.Node)
			f.Subject = subjectOf(it)
			f.Hint = fmt.Sprintf("the server has to send an object with a %s; report it to its maintainers", kind.Key())
			findings = append(findings, s.illegal(f)...)
		}
	}
	return findings
}

func checkDuplicateName(s *survey) []diag.Finding {
	var findings []diag.Finding
	for _, kind := range surface.Kinds {
		count := map[string]int{}
		for _, it := range s.Items[kind] {
			count[it.Name]++
		}
		for _, it := range s.Items[kind] {
			n := count[it.Name]
			delete(count, it.Name)
			if n < 2 || it.Name == "" {
				continue
			}
			f := about(duplicateName, it, canon.Pointer(kind.Key()), fmt.Sprintf("%s is listed %d times", shownName(it), n), it.Node.Get(kind.Key()))
			f.Hint = "rename or remove all but one of them in the server"
			if kind != surface.Tool && kind != surface.Prompt {
				f.Class = diag.Warning
			}
			findings = append(findings, s.illegal(f, fmt.Sprint(n))...)
		}
	}
	return findings
}

func checkCanonicalCollision(s *survey) []diag.Finding {
	names, folds := map[string][]string{}, map[string]string{} // by what they fold to; and by name
	for _, it := range s.Tools() {
		if _, seen := folds[it.Name]; it.Name == "" || seen {
			continue
		}
		folded := air.CanonicalName(it.Name)
		folds[it.Name] = folded
		names[folded] = append(names[folded], it.Name)
	}
	var findings []diag.Finding
	for _, it := range s.Tools() {
		folded := folds[it.Name]
		group := names[folded]
		if len(group) < 2 || it.Name == group[0] {
			continue
		}
		f := about(canonicalCollision, it, "/name", fmt.Sprintf("%d tools fold to %s, which is one identifier: %s", len(group), quotedText(folded, maxName), firstNames(group)), it.Node.Get("name"))
		f.Hint = "rename all but one of them in the server"
		findings = append(findings, f.Sealed(group[0], fmt.Sprint(len(group))))
	}
	return findings
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quotedText(n, maxName)
	}
	return strings.Join(quoted, ", ")
}
