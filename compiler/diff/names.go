package diff

import (
	"net/url"
	"regexp"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/lookalike"
	"anvil/compiler/surface"
	"anvil/compiler/tokens"
	"anvil/internal/workers"
)

// Clash is a tool that is new under its name, and another that the name can be taken for.
type Clash struct {
	Name, Other string
	Canonical   string // the generated name that both have; "" when they only look alike
}

// clashes finds the names that are new and can be taken for others.
func clashes(old, new *surface.McpSurfaceSnapshot) []Clash {
	had := map[string]bool{}
	for _, it := range old.Tools() {
		had[it.Name] = true
	}
	var come []string
	for _, name := range names(new.Tools()) {
		if !had[name] {
			come = append(come, name)
		}
	}
	if len(come) == 0 {
		return nil
	}
	canonical, looks := map[string][]string{}, map[string][]string{}
	for _, name := range names(new.Tools()) {
		c, l := air.CanonicalName(name), lookalike.Skeleton(name)
		canonical[c], looks[l] = append(canonical[c], name), append(looks[l], name)
	}
	var found []Clash
	for _, name := range come {
		c := air.CanonicalName(name)
		if other := another(canonical[c], name); other != "" {
			found = append(found, Clash{name, other, c})
		} else if other := another(looks[lookalike.Skeleton(name)], name); other != "" {
			found = append(found, Clash{name, other, ""})
		}
	}
	return found
}

func another(list []string, name string) string {
	for _, other := range list {
		if other != name {
			return other
		}
	}
	return ""
}

// Weight is what a model is handed of a surface on every turn.
type Weight struct {
	Tools     int
	Tokens    int    // counted only where the bytes grew
	Estimator string // the vocabulary they are counted with
}

// fewTokens are too few to matter, whatever they grew by.
const fewTokens = 1000

// growth is from which share on more tokens are worth a word.
const growth = 0.20

// weights compares what two surfaces put into a model's context. Tokens are counted where there are enough more bytes for it to matter.
func weights(old, new *surface.McpSurfaceSnapshot, moved ListDelta) (was, is Weight) {
	was.Tools, is.Tools = len(old.Tools()), len(new.Tools())
	more := 0
	for _, a := range moved.Added {
		more += a.Item.ModelSize()
	}
	for _, r := range moved.Removed {
		more -= r.Item.ModelSize()
	}
	for _, list := range [][]Pair{moved.Changed, moved.Renamed} {
		for _, p := range list {
			more += p.New.ModelSize() - p.Old.ModelSize()
		}
	}
	if more <= 0 {
		return was, is
	}
	total := 0
	for _, it := range old.Tools() {
		total += it.ModelSize()
	}
	if total == 0 || float64(more) < growth*0.75*float64(total) {
		return was, is
	}
	was.Tokens, is.Tokens = tokensOf(old), tokensOf(new)
	was.Estimator, is.Estimator = tokens.O200k.Name(), tokens.O200k.Name()
	return was, is
}

// tokensOf counts side by side what is counted tool by tool; a surface beyond the budget is counted in order until that is spent.
func tokensOf(s *surface.McpSurfaceSnapshot) (n int) {
	tools, bytes := s.Tools(), 0
	for _, it := range tools {
		bytes += it.ModelSize()
	}
	if bytes > tokens.Budget {
		meter := tokens.NewMeter(tokens.O200k)
		for _, it := range tools {
			n += meter.Count(string(it.ModelForm()))
		}
		return n
	}
	counts := make([]int, len(tools))
	workers.Each(len(tools), func(i int) { counts[i] = tokens.O200k.Count(string(tools[i].ModelForm())) })
	for _, count := range counts {
		n += count
	}
	return n
}

// deprecation is how a description says that a tool is on its way out.
var deprecation = regexp.MustCompile(`(?i)^\W*deprecated\b|[\[(*@]deprecated\b|\b(is|has been|now) deprecated\b|\bdeprecated[:!]`)

// deprecated reports a tool that is marked as going away, by its description or its metadata.
func deprecated(tool *canon.Node) bool {
	for _, n := range []*canon.Node{tool, tool.Get("annotations"), tool.Get("_meta")} {
		if mark := n.Get("deprecated"); mark != nil && !mark.Is(canon.False) && !mark.Is(canon.Null) {
			return true
		}
	}
	text := tool.Get("description").Text()
	return strings.Contains(strings.ToLower(text), "deprecated") && deprecation.MatchString(text)
}

// endpointTurn returns the web origins of two endpoints that differ; nil when either is none, since commands are compared by nobody.
func endpointTurn(before, after string) *Turn {
	a, b := webOrigin(before), webOrigin(after)
	if a == "" || b == "" {
		return nil
	}
	return turn(a, b)
}

func webOrigin(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}
