package workflow

import (
	"math/big"
	"slices"
	"time"

	"anvil/learn"
	"anvil/learn/stat"
)

// Stats is what the sessions of one workflow were like.
type Stats struct {
	Workflow  string // as [Session.Name] has it
	Sessions  int
	Succeeded float64       // share in which no call failed
	Interval  stat.Interval // of it, 95 %
	Mean      time.Duration // in which calls were running, of the sessions that were timed
	Timed     int           // how many those are
	MeanCost  []learn.Money // of a session, by currency, of the sessions that spent in it
	Patterns  []Pattern
}

// StatsOf sums up sessions, which should be of one workflow; there has to be one.
func StatsOf(sessions []Session) Stats {
	s := Stats{Workflow: sessions[0].Name(), Sessions: len(sessions), Succeeded: succeeded(sessions), Patterns: Patterns(sessions)}
	well := 0
	for _, session := range sessions {
		if !session.failed() {
			well++
		}
	}
	s.Interval = stat.Wilson(int64(well), int64(len(sessions)))
	s.Mean, s.Timed = meanBusy(sessions)
	s.MeanCost = meanCost(sessions)
	return s
}

// meanCost is what a session cost in the mean, in each currency over the sessions that spent in it.
func meanCost(sessions []Session) []learn.Money {
	total, in := purse{}, map[string]int64{}
	for _, s := range sessions {
		for _, m := range s.Graph.spent().list() {
			total.add(m)
			in[m.Currency]++
		}
	}
	means := total.list()
	for i, m := range means {
		means[i].Micros = scaled(m.Micros, 1, in[m.Currency])
	}
	return means
}

// scaled is v·by/of, rounded half up, as far as there are numbers; of must not be 0.
func scaled(v, by, of int64) int64 {
	n := new(big.Int).Mul(big.NewInt(v), big.NewInt(2*by))
	n.Add(n, big.NewInt(of)).Quo(n, big.NewInt(2*of))
	if !n.IsInt64() {
		return 1<<63 - 1
	}
	return n.Int64()
}

// Forecast is how a session that is under way may end, by those that went before.
type Forecast struct {
	Workflow        string
	Runs            int           // sessions it rests on
	Progress        float64       // calls made, of what a session makes in the mean; 1 at most, and 1 without history
	Elapsed         time.Duration // in which calls were running so far
	Duration        time.Duration // projected
	Cost            []learn.Money // projected, by currency
	Failure         float64       // probability that a call fails before the end
	FailureInterval stat.Interval // where the share of failed sessions lies, 95 %; 0 to 1 without history
}

// priorRuns is how many sessions the prior of the failure probability counts for.
const priorRuns = 2

// ForecastOf projects a session by others of its workflow; the session itself among them is passed over. Time and cost grow in proportion while fewer calls
// were made than in the mean; from then on they are the larger of what was spent and the mean.
//
// The probability of failure is 1 once a call failed. Before, it is the mean of two shares: of all sessions, those that failed, as the prior, which counts for
// two sessions; and of the sessions that had made as many calls without a failure, those that failed later. The reference takes the mean of the first and of
// the live session's own share, which is 0 until it is 1, so that it is always half of what was seen.
func ForecastOf(live Session, history []Session) Forecast {
	past := slices.DeleteFunc(slices.Clone(history), func(s Session) bool { return s.ID == live.ID && s.Workflow == live.Workflow })
	f := Forecast{Workflow: live.Name(), Runs: len(past), Progress: 1, Elapsed: live.Graph.Busy(), FailureInterval: stat.Interval{Low: 0, High: 1}}
	f.Duration, f.Cost = f.Elapsed, live.Graph.spent().list()
	if len(past) > 0 {
		f.project(live, past)
	}
	if live.failed() {
		f.Failure = 1
	}
	return f
}

func (f *Forecast) project(live Session, past []Session) {
	made, all := int64(len(live.Graph.Nodes)), int64(0)
	for _, s := range past {
		all += int64(len(s.Graph.Nodes))
	}
	runs := int64(len(past))
	grows := made*runs < all
	mean, _ := meanBusy(past)
	spent, means := live.Graph.spent(), meanCost(past)
	if grows {
		f.Progress = float64(made*runs) / float64(all)
		f.Duration = time.Duration(scaled(int64(f.Elapsed), all, made*runs))
		for currency, micros := range spent {
			spent[currency] = scaled(micros, all, made*runs)
		}
	} else {
		f.Duration = max(f.Elapsed, mean)
		for _, m := range means {
			spent[m.Currency] = max(spent[m.Currency], m.Micros)
		}
	}
	f.Cost = spent.list()
	failed, survivors, later := int64(0), 0.0, 0.0
	for _, s := range past {
		first := s.firstFailure()
		if first >= 0 {
			failed++
		}
		if first < 0 || first >= int(made) {
			survivors++
			if first >= 0 {
				later++
			}
		}
	}
	prior := float64(failed) / float64(runs)
	f.Failure = (later + priorRuns*prior) / (survivors + priorRuns)
	f.FailureInterval = stat.Wilson(failed, runs)
}

// firstFailure is how many calls began before the first that failed, -1 where none did.
func (s Session) firstFailure() int {
	return slices.IndexFunc(s.Graph.Nodes, func(n Node) bool { return n.Outcome == learn.Failed })
}
