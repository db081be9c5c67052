package adopt

import (
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
)

// statusOf is an operation that tells how some work stands, and the argument that names the work.
type statusOf struct {
	at    int
	param string
}

// linkJobs joins operations that start work with the one that tells how it stands: check_crawl_status(id) belongs to crawl and to start_crawl. Exactly
// one must fit, must read by its name, and must be asked by an id.
func linkJobs(operations []air.Operation) {
	status := map[string][]statusOf{}
	for i, o := range operations {
		if stem, param, ok := statusStem(o); ok {
			status[stem] = append(status[stem], statusOf{i, param})
		}
	}
	for i, o := range operations {
		n := readName(air.Words(o.MCP.ToolName), false)
		if !n.class().mutates() && len(n.acting) > 0 || o.LongRunning != nil && o.LongRunning.Means == air.MeansTask {
			continue
		}
		found := status[strings.Join(without(n.words, startWords), "_")]
		if len(found) != 1 || found[0].at == i || operations[found[0].at].State == air.StateBlocked {
			continue
		}
		asked := operations[found[0].at]
		o.LongRunning = &air.LongRunning{Means: air.MeansJob, StatusOperation: asked.ID, StatusParam: found[0].param}
		claim := air.Claim{
			Subject: o.ID, Source: air.FromName, SourceRef: canon.Pointer("name"), Method: "status:" + asked.CanonicalName, Confidence: sureStatus,
			Review: air.Unreviewed,
		}
		lasting, shape := claim, claim
		lasting.Predicate, lasting.Value = air.PredicateLongRunning, air.ValueOf(air.MeansJob)
		shape.Predicate, shape.Value = air.PredicateArchetype, air.ValueOf(air.ArchetypeLongRunning)
		o.Evidence = append(slices.Clone(o.Evidence), lasting, shape)
		sortClaims(o.Evidence)
		operations[i] = o.Settled()
	}
}

// statusStem returns the words that an operation which tells of work shares with the one that starts it.
func statusStem(o air.Operation) (stem, param string, ok bool) {
	words := air.Words(o.MCP.ToolName)
	if n := readName(words, false); n.class().mutates() || !slices.ContainsFunc(words, func(w string) bool { return statusWords[w] }) {
		return "", "", false
	}
	var ids []string
	for _, p := range o.Input.Params {
		if w := air.Words(p.Name); p.Type == air.ParamString && !p.Repeated && len(w) > 0 && idWords[w[len(w)-1]] {
			ids = append(ids, p.Name)
		}
	}
	stemWords := without(words, statusFrame)
	if len(ids) != 1 || len(stemWords) == 0 {
		return "", "", false
	}
	return strings.Join(stemWords, "_"), ids[0], true
}

// without returns the words that are not in the set.
func without(words []string, set map[string]bool) (kept []string) {
	for _, w := range words {
		if !set[w] {
			kept = append(kept, w)
		}
	}
	return kept
}
