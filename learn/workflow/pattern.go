package workflow

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"anvil/learn"
)

// Repetition is a run of tools that a session goes through again and again.
type Repetition struct {
	Tools []learn.Tool // without contracts
	Count int          // how often it occurs; it may begin inside another
}

// Pattern is the run in one line: "search -> open".
func (r Repetition) Pattern() string { return arrows(r.Tools) }

// How long runs are that count as repeated, from how many calls on a session is looked at, and how often a run has to occur.
const (
	shortestRun   = 2
	longestRun    = 4
	fewestCalls   = 4
	fewestRepeats = 3
)

// Repetitions are the runs of two to four tools that occur at least three times as the calls are gone through depth first, most frequent first, and longer
// before shorter. A run is only told if three of its occurrences lie in calls that runs told before leave out: of a, b, a, b, a, b only "a -> b".
func (g *Graph) Repetitions() []Repetition {
	if len(g.Nodes) < fewestCalls {
		return nil
	}
	tools := g.tools(g.depthFirst())
	var told []Repetition
	covered := make([]bool, len(tools))
	for _, r := range repeats(tools) {
		fresh := 0
		for _, at := range r.at {
			if slices.Contains(covered[at:at+len(r.Tools)], false) {
				fresh++
			}
		}
		if fresh < fewestRepeats {
			continue
		}
		told = append(told, r.Repetition)
		for _, at := range r.at {
			for i := range r.Tools {
				covered[at+i] = true
			}
		}
	}
	return told
}

// repeated is a run and where it occurs.
type repeated struct {
	Repetition
	at []int
}

// repeats finds the runs that occur often enough, in the order in which they are told.
func repeats(tools []learn.Tool) []repeated {
	numbers := map[learn.Tool]int{} // comparing numbers is cheaper than names
	numbered := make([]int, len(tools))
	for i, t := range tools {
		if _, known := numbers[t]; !known {
			numbers[t] = len(numbers) + 1
		}
		numbered[i] = numbers[t]
	}
	var runs []repeated
	for length := shortestRun; length <= longestRun; length++ {
		places := map[[longestRun]int][]int{}
		for at := 0; at+length <= len(tools); at++ {
			var run [longestRun]int
			copy(run[:], numbered[at:at+length])
			places[run] = append(places[run], at)
		}
		for _, at := range places {
			if len(at) >= fewestRepeats {
				runs = append(runs, repeated{Repetition{slices.Clone(tools[at[0] : at[0]+length]), len(at)}, at})
			}
		}
	}
	slices.SortFunc(runs, func(a, b repeated) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(len(b.Tools), len(a.Tools)), slices.CompareFunc(a.Tools, b.Tools, learn.Tool.Compare))
	})
	return runs
}

// arrows joins tools as patterns are written.
func arrows(tools []learn.Tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, learn.Storable(t.String()))
	}
	return strings.Join(names, " -> ")
}

// Pattern is a sequence of tools that whole sessions share.
type Pattern struct {
	Tools     []learn.Tool // breadth first, without contracts
	Sessions  int
	Frequency float64       // of all sessions, 0 to 1
	Mean      time.Duration // in which calls of such a session were running, of those that were timed
	Succeeded float64       // share of them in which no call failed
}

// Pattern is the sequence in one line.
func (p Pattern) Pattern() string { return arrows(p.Tools) }

// fewestSessions is how many sessions have to share a sequence.
const fewestSessions = 3

// Patterns are the sequences of tools that at least three sessions share from beginning to end, most frequent first.
func Patterns(sessions []Session) []Pattern {
	groups := map[string][]Session{}
	for _, s := range sessions {
		key := sequence(s.Graph.tools(s.Graph.breadthFirst()))
		groups[key] = append(groups[key], s)
	}
	var found []Pattern
	for _, group := range groups {
		if len(group) < fewestSessions {
			continue
		}
		p := Pattern{Tools: group[0].Graph.tools(group[0].Graph.breadthFirst()), Sessions: len(group), Frequency: float64(len(group)) / float64(len(sessions))}
		p.Mean, _ = meanBusy(group)
		p.Succeeded = succeeded(group)
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), slices.CompareFunc(a.Tools, b.Tools, learn.Tool.Compare))
	})
	return found
}

// sequence is a text that equal sequences of tools alone share, whatever their names hold.
func sequence(tools []learn.Tool) string {
	var b strings.Builder
	for _, t := range tools {
		for _, part := range []string{t.Server, t.Name} {
			b.WriteString(strings.ReplaceAll(part, "\x00", "\x00\x01"))
			b.WriteString("\x00\x02")
		}
	}
	return b.String()
}

// meanBusy is the mean time in which calls were running, and of how many timed sessions.
func meanBusy(sessions []Session) (time.Duration, int) {
	var sum time.Duration
	n := 0
	for _, s := range sessions {
		if s.timed() {
			sum = plus(sum, s.Graph.Busy())
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return sum / time.Duration(n), n
}

// succeeded is the share of sessions in which no call failed.
func succeeded(sessions []Session) float64 {
	n := 0
	for _, s := range sessions {
		if !s.failed() {
			n++
		}
	}
	return float64(n) / float64(len(sessions))
}
