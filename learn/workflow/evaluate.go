package workflow

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/stat"
)

// Options tune what is concluded. Zero fields are the defaults.
type Options struct {
	Keep time.Duration // how long behind the last event an insight holds; 30 days
}

const defaultKeep = 30 * 24 * time.Hour

// The keys of insights of workflows. A repetition has a key of its own, "repetition_detected:" and its pattern, so that several stand beside each other.
const (
	keyDuration    = "workflow_duration_ms"
	keyCost        = "workflow_cost"
	keyFailures    = "workflow_failure_rate"
	keyBottleneck  = "critical_path_bottleneck"
	keyFanOut      = "workflow_fan_out"
	keyRepetition  = "repetition_detected"
	keyPattern     = "workflow_common_pattern"
	maxKeyPattern  = 160 // bytes of a pattern in a key; a longer one is cut and marked with a digest
	figuresSure    = 80  // hundredths: of what was measured
	judgementsSure = 70  // and of what was judged
)

// Evaluate concludes what there is to say of each workflow, over all of its sessions, by [Session.Name]: its mean duration and cost, the share of its calls that
// failed, the tool that is waited for most, how far calls spread, and what repeats. Insights are sorted by key.
func Evaluate(sessions []Session, o Options) map[string][]learn.Insight {
	groups := map[string][]Session{}
	for _, s := range sessions {
		groups[s.Name()] = append(groups[s.Name()], s)
	}
	of := map[string][]learn.Insight{}
	for name, group := range groups {
		if found := evaluate(group, o); len(found) > 0 {
			of[name] = found
		}
	}
	return of
}

func evaluate(sessions []Session, o Options) []learn.Insight {
	var last time.Time
	for _, s := range sessions {
		for i := range s.Graph.Nodes {
			last = later(last, s.Graph.Nodes[i].At)
		}
	}
	var found []learn.Insight
	add := func(key string, value any, confidence int, n int) {
		found = append(found, o.insight(key, value, confidence, int64(n), last))
	}
	if mean, n := meanBusy(sessions); n > 0 {
		add(keyDuration, mean.Round(time.Millisecond).Milliseconds(), figuresSure, n)
	}
	if costs := meanCost(sessions); len(costs) > 0 {
		add(keyCost, amounts(costs), figuresSure, len(sessions))
	}
	if failed, counted := failures(sessions); failed > 0 {
		i := o.insight(keyFailures, share(float64(failed)/float64(counted)), figuresSure, counted, last)
		interval := stat.Wilson(failed, counted)
		i.Low, i.High = interval.Low, interval.High
		found = append(found, i)
	}
	if tool, slow := slowest(sessions); slow {
		add(keyBottleneck, learn.Storable(tool.String()), judgementsSure, len(sessions))
	}
	most := 0
	for _, s := range sessions {
		most = max(most, s.Graph.FanOut().Most)
	}
	if most > 1 {
		add(keyFanOut, most, judgementsSure, len(sessions))
	}
	for _, r := range repetitions(sessions) {
		add(patternKey(r.Pattern()), repetition{r.Pattern(), r.Count, len(r.Tools)}, judgementsSure, r.Count)
	}
	if patterns := Patterns(sessions); len(patterns) > 0 {
		p := patterns[0]
		add(keyPattern, pattern{p.Pattern(), share(p.Frequency), p.Mean.Round(time.Millisecond).Milliseconds(), share(p.Succeeded)}, judgementsSure, p.Sessions)
	}
	slices.SortFunc(found, func(a, b learn.Insight) int { return cmp.Compare(a.Key, b.Key) })
	return found
}

type repetition struct {
	Pattern string `json:"pattern"`
	Count   int    `json:"count"`
	Length  int    `json:"length"`
}

type pattern struct {
	Pattern      string    `json:"pattern"`
	Frequency    canon.Raw `json:"frequency"`
	Milliseconds int64     `json:"avgDurationMs"`
	SuccessRate  canon.Raw `json:"successRate"`
}

// insight makes one; its value as canonical JSON.
func (o Options) insight(key string, value any, confidence int, n int64, at time.Time) learn.Insight {
	return learn.Insight{Key: key, Value: canon.ValueOf(value), Confidence: confidence, Source: learn.FromEvaluation, N: n, Window: string(learn.All),
		ObservedAt: at, Expires: at.Add(cmp.Or(o.Keep, defaultKeep))}
}

// share is a number from 0 to 1 with four decimals.
func share(v float64) canon.Raw {
	return canon.Raw(strconv.FormatFloat(stat.Round4(v), 'f', -1, 64))
}

// amounts are a number where there is one currency, and numbers by currency where there are several.
func amounts(costs []learn.Money) any {
	if len(costs) == 1 {
		return canon.Raw(costs[0].Amount())
	}
	by := map[string]canon.Raw{}
	for _, m := range costs {
		by[m.Currency] = canon.Raw(m.Amount())
	}
	return by
}

// failures counts the calls that failed, and those that say something of their tools.
func failures(sessions []Session) (failed, counted int64) {
	for _, s := range sessions {
		for i := range s.Graph.Nodes {
			if outcome := s.Graph.Nodes[i].Outcome; outcome.Counts() {
				counted++
				if outcome == learn.Failed {
					failed++
				}
			}
		}
	}
	return failed, counted
}

// slowest is the tool whose calls a session waits for longest, if that is more than a second in the mean.
func slowest(sessions []Session) (learn.Tool, bool) {
	waits := map[learn.Tool]time.Duration{}
	for _, s := range sessions {
		share := s.Graph.WallClock().Share()
		for i := range s.Graph.Nodes {
			n := &s.Graph.Nodes[i]
			waits[plain(n.Tool)] = plus(waits[plain(n.Tool)], share[n.ID])
		}
	}
	var worst learn.Tool
	var most time.Duration
	for _, tool := range slices.SortedFunc(maps.Keys(waits), learn.Tool.Compare) {
		if waits[tool] > most {
			worst, most = tool, waits[tool]
		}
	}
	return worst, most/time.Duration(len(sessions)) > slowCall
}

// repetitions are those of all sessions, each once with its highest count.
func repetitions(sessions []Session) []Repetition {
	best := map[string]Repetition{}
	for _, s := range sessions {
		for _, r := range s.Graph.Repetitions() {
			if p := r.Pattern(); r.Count > best[p].Count {
				best[p] = r
			}
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b Repetition) int { return slices.CompareFunc(a.Tools, b.Tools, learn.Tool.Compare) })
}

// patternKey is the key of a repetition's insight.
func patternKey(p string) string {
	if len(p) > maxKeyPattern {
		p = strings.ToValidUTF8(p[:maxKeyPattern], "") + "..." + canon.Digest([]byte(p))[len("sha256:"):][:8]
	}
	return keyRepetition + ":" + p
}
