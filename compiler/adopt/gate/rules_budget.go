package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// toolTokenBudget is how many tokens one tool may take before the gate warns: a hundredth of a context of 200,000. Of 2,800 tools of real servers
// that were looked at, one in two hundred takes more.
const toolTokenBudget = 2000

func checkToolBudget(v *survey) []diag.Finding {
	var findings []diag.Finding
	count := len(v.Tools())
	if limit := cmp.Or(v.options.MaxTools, defaultToolBudget); count > limit {
		f := overTools("server", fmt.Sprintf("the server lists %d tools, the budget is %d", count, limit), count)
		if v.options.MaxTools > 0 {
			f.Class, f.Hint = diag.Error, "raise gate.maxTools in anvil.yaml, or have the server list fewer tools"
		}
		findings = append(findings, fitting(f, v.leaving(), limit).Sealed())
	}
	return append(findings, v.toolsPerClient("server", "the server lists", count, v.leaving)...)
}

func overTools(subject, message string, count int) diag.Finding {
	f := toolBudget.Finding(subject, message)
	f.Pointer, f.After = "/tools", canon.Raw(fmt.Sprint(count))
	f.Hint = "approve a part of them and serve that through the facade"
	return f
}

// listedTools is how many tools a proposal names.
const listedTools = 8

// fitting proposes which tools to do without, so that no more than limit of them remain; or which to keep, where those are fewer. leaving are all
// of them, the first to go first.
func fitting(f diag.Finding, leaving []spentTool, limit int) diag.Finding {
	var names []string
	for _, t := range leaving {
		names = append(names, diag.ShortName(t.label))
	}
	out := min(len(names), len(names)-limit)
	if keep := names[out:]; len(keep) < out {
		slices.Reverse(keep)
		f.Fix = &diag.Fix{Keep: keep}
		f.Hint += "; these fit: " + firstNames(keep, listedTools)
	} else {
		f.Fix = &diag.Fix{LeaveOut: names[:out]}
		f.Hint += "; the others fit without " + firstNames(names[:out], listedTools)
	}
	f.Hint += " (near-duplicates go first, then what takes most tokens)"
	return f
}

// spentTool is a tool, what it takes, and whether another says the same.
type spentTool struct {
	label  string // its name, behind its server's where there are several
	tokens int
	twin   bool
}

// inOrder puts those first that are left out first: near-duplicates before what is told apart, the most costly before the cheap, then by name.
func inOrder(tools []spentTool) []spentTool {
	slices.SortFunc(tools, func(a, b spentTool) int {
		if a.twin != b.twin {
			return map[bool]int{true: -1, false: 1}[a.twin]
		}
		return cmp.Or(b.tokens-a.tokens, cmp.Compare(a.label, b.label))
	})
	return tools
}

// leaving are the tools in the order in which they are left out.
func (v *survey) leaving() []spentTool {
	if v.order != nil {
		return v.order
	}
	twins := map[string]bool{}
	for _, pair := range v.twins() {
		twins[pair[1].Name] = true
	}
	for _, it := range v.Tools() {
		v.order = append(v.order, spentTool{it.Name, v.costs.Tool(it), twins[it.Name]})
	}
	v.order = inOrder(v.order)
	return v.order
}

// toolsPerClient judges a number of tools by what each client takes beside its own. lists says whose they are: "the server lists". leaving are the
// tools in the order in which they are left out.
func (v *survey) toolsPerClient(subject, lists string, count int, leaving func() []spentTool) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(toolBudget) {
		sum, words := count+a.limit.Builtin, fmt.Sprintf("%s %d tools", lists, count)
		if a.limit.Builtin > 0 {
			words += fmt.Sprintf(", with %d of the client's own %d", a.limit.Builtin, sum)
		}
		f, limit := overTools(subject, "", count), a.limit.Max
		switch {
		case sum > a.limit.Max:
			f.Message = fmt.Sprintf("%s; at most %d are taken", words, a.limit.Max)
			f = a.judge(f)
		case a.limit.Best > 0 && sum > a.limit.Best:
			limit = a.limit.Best
			f.Message = fmt.Sprintf("%s; no more than %d are advised", words, a.limit.Best)
			f = a.advise(f, diag.Warning)
		default:
			continue
		}
		findings = append(findings, fitting(f, leaving(), limit-a.limit.Builtin).Sealed())
	}
	return findings
}

func checkTokenBudget(v *survey) []diag.Finding {
	findings := v.costlyTools()
	bound := 0
	for _, it := range v.Tools() {
		bound += atMost(it)
	}
	return append(findings, v.tokensPerClient("server", "the tools take", bound, func() spent {
		return spent{v.costs.Tools(), v.costs.Estimator(), v.costs.ranked()}
	})...)
}

// spent is what tools take: in tokens, by which count, and each of them, the most costly first.
type spent struct {
	tokens    int
	estimator string
	ranked    []Cost
}

// costlyTools reports each tool above toolTokenBudget. Only tools that could be above it are counted.
func (v *survey) costlyTools() []diag.Finding {
	var findings []diag.Finding
	for _, it := range v.named() {
		if atMost(it) <= toolTokenBudget || v.costs.Tool(it) <= toolTokenBudget {
			continue
		}
		n := v.costs.Tool(it)
		f := about(tokenBudget, it, "", fmt.Sprintf("tool %s takes %d tokens of a model's context (%s), the budget of a tool is %d",
			called(it.Name), n, v.costs.Estimator(), toolTokenBudget), nil)
		f.After = canon.Raw(fmt.Sprint(n))
		parts := v.costs.parts(it)
		slices.SortStableFunc(parts, func(a, b Part) int { return b.Tokens - a.Tokens })
		f.Hint = fmt.Sprintf("shorten it in the server; its %s take %d of them", parts[0].Part, parts[0].Tokens)
		if parts[0].Part == partName || parts[0].Part == partDescription {
			f.Hint = strings.Replace(f.Hint, " take ", " takes ", 1)
		}
		findings = append(findings, f.Sealed())
	}
	return findings
}

// tokensPerClient judges what tools take together by each client that has a budget for them. bound is a cheap upper bound of it; count counts.
func (v *survey) tokensPerClient(subject, take string, bound int, count func() spent) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(tokenBudget) {
		if bound <= a.limit.Max {
			continue
		}
		sum := count()
		if sum.tokens <= a.limit.Max {
			continue
		}
		f := tokenBudget.Finding(subject, fmt.Sprintf("%s %d tokens of a model's context (%s); above %d, %s",
			take, sum.tokens, sum.estimator, a.limit.Max, cmp.Or(a.limit.Note, "they are too many")))
		f.Pointer, f.After = "/tools", canon.Raw(fmt.Sprint(sum.tokens))
		f.Hint = "approve a part of them and serve that through the facade; the most costly are " + topThree(sum.ranked)
		findings = append(findings, a.judge(f).Sealed())
	}
	return findings
}

// ranked returns what the tools take, the most costly first, without their parts.
func (c *Counter) ranked() []Cost {
	var ranked []Cost
	for _, it := range c.surface.Tools() {
		ranked = append(ranked, Cost{Tool: it.Name, Tokens: c.Tool(it)})
	}
	slices.SortStableFunc(ranked, func(a, b Cost) int { return b.Tokens - a.Tokens })
	return ranked
}

func topThree(ranked []Cost) string {
	var words []string
	for _, c := range ranked[:min(3, len(ranked))] {
		words = append(words, fmt.Sprintf("%s (%d)", called(c.Tool), c.Tokens))
	}
	return strings.Join(words, ", ")
}

// checkPageSize reports lists that came in more than one page, by the clients that read the first alone.
func checkPageSize(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, kind := range surface.Kinds {
		pages := v.options.Pages[kind.Method()]
		if pages < 2 {
			continue
		}
		for _, a := range v.under(pageSize) {
			f := pageSize.Finding("server", fmt.Sprintf("%s answers in %d pages, and who reads the first alone misses a part of the %d %s",
				kind.Method(), pages, len(v.Items[kind]), kind.List()))
			f.Pointer, f.After = canon.Pointer(kind.List()), canon.Raw(fmt.Sprint(pages))
			f.Hint = "have the server list everything on one page, or serve it through the facade, which does"
			findings = append(findings, a.judge(f).Sealed(kind.Method()))
		}
	}
	return findings
}
