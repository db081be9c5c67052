// Package advise draws recommendations from what was observed: which model should ask for a tool, whether to try again or to stop asking a failing one, whether a
// person has to agree, how a model should decode, what is left of a budget.
//
// Where it stands: learn keeps cells, learn/evaluate judges failures and drift, advise says what follows. Whoever makes calls (learn/invoke, a host) acts on it or
// does not: nothing here makes a call, writes to a store or reads a clock. Each sentence is made from the figures that decided (ADR 0042).
//
// Advice tightens by itself and loosens nothing: what is not known to be safe is not tried again, what nobody lists is denied, and what a server suggests is a
// floor under what the host demands.
package advise

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// minInvocations is from how many invocations on advice is given.
const minInvocations = 10

// Options are what all advice of a tool is drawn with. Zero fields stand for defaults.
type Options struct {
	Router Router
	Retry  RetryRules
	Gate   Gate

	Safety func(learn.Tool) Safety // of an operation; nil: nothing is known of any, and nothing is tried again or allowed
	Intent func(learn.Tool) string // the decoding profile that callers want; nil: balanced
	Knobs  Capabilities            // of the backend that decodes; zero: those of OpenAI
	Window Window                  // of the budgets that people state of tools; what is left of one bounds the router: [Always]
}

// All draws all recommendations of a tool, in the order of their types: what evaluate.Options.Advise takes.
func (o Options) All(now time.Time) func(learn.Record) []learn.Recommendation {
	return func(r learn.Record) []learn.Recommendation {
		safety, intent, knobs := Safety{}, "", cmp.Or(o.Knobs, OpenAI)
		if o.Safety != nil {
			safety = o.Safety(r.Tool)
		}
		if o.Intent != nil {
			intent = o.Intent(r.Tool)
		}
		var budget []learn.Recommendation
		router := o.Router
		if limit := r.Annotation.Budget; limit != nil {
			b := Budget{*limit, cmp.Or(o.Window, Always)}
			budget = b.Tool(r, now)
			router = b.bound(router, b.Spent(r, now))
		}
		all := slices.Concat(o.routed(r, router.Advice(r)), o.Retry.Advice(r, safety), o.Gate.Advice(r, safety), Decoding(r, intent, knobs), Sampling(r), budget)
		slices.SortStableFunc(all, func(a, b learn.Recommendation) int {
			return cmp.Or(cmp.Compare(a.Type, b.Type), bytes.Compare(a.Payload, b.Payload))
		})
		return all
	}
}

// routed is a router's advice as far as something was observed that it rests on. A router that is asked answers by the weights of its catalogue where it has to;
// what is written down as learned is of models of the catalogue that were seen to ask for calls, or of a catalogue that the host gave, and of bounds on a price that was seen.
func (o Options) routed(r learn.Record, advice []learn.Recommendation) []learn.Recommendation {
	models := o.Router.Catalogue != nil || slices.ContainsFunc(DefaultCatalogue, func(m Model) bool { return r.Cell(learn.All, learn.Dimensions{Model: m.Name}).Invocations > 0 })
	priced := len(overall(r).Cost) > 0
	return slices.DeleteFunc(advice, func(rec learn.Recommendation) bool {
		return !models && (rec.Type == learn.RecommendModel || !priced)
	})
}

// Looked adds to what is known of operations what events show of them: disturbs reports a tool whose calls were seen to change what others read. Without it nobody
// looked, and nothing is advised to be called without a question.
func (o Options) Looked(disturbs func(learn.Tool) bool) Options {
	known := o.Safety
	o.Safety = func(t learn.Tool) Safety {
		s := Safety{}
		if known != nil {
			s = known(t)
		}
		if s.Changes = NotSeen; disturbs(t) {
			s.Changes = Seen
		}
		return s
	}
	return o
}

// Hours reports advice that rests on the cells of single hours: what evaluate.Options.Hours takes.
func (o Options) Hours() bool { return o.Window == PerDay || o.Window == PerMonth }

// overall is the tool's cell of every call.
func overall(r learn.Record) learn.Cell { return r.Cell(learn.All, learn.Dimensions{}) }

// told is a share of failures as it is told: "12 of the latest 40 calls fail (30 %)".
func told(s evaluate.Share) string {
	text := fmt.Sprintf("%d of the latest %d calls fail (%s)", s.Hits, s.N, stat.Percent(s.Rate()))
	if s.Clients > 0 {
		text += fmt.Sprintf(", judged over %d clients", s.Clients)
	}
	return text
}
