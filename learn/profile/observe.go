package profile

import (
	"context"
	"fmt"
	"iter"
	"time"

	"anvil/learn"
	"anvil/learn/stat"
)

// The bounds of what is remembered of one server, and of how far two calls that are compared may be apart: the longer, the more may have changed that
// nobody called for.
const (
	maxAsked = 5000 // different calls
	maxApart = time.Minute
)

// call is one way of calling one tool, in one session.
type call struct {
	caller
	input string // digest of the arguments
}

// caller is a tool in a session.
type caller struct {
	session string
	tool    learn.Tool
}

// answer is what a call gave the last time, and when that was.
type answer struct {
	output string
	number int // of the event among those of its server
	at     time.Time
}

// server is what is remembered of the calls of one server: what each answered, and who called last, the latest first.
type server struct {
	asked  map[call]answer
	number int
	last   [2]turn
}

// turn is a caller and the number of its latest event.
type turn struct {
	caller
	number int
}

// between returns how many callers there were since an event, 2 for more than one, and the first of them.
func (s *server) between(since int) (int, caller) {
	switch {
	case s.last[0].number <= since:
		return 0, caller{}
	case s.last[1].number <= since:
		return 1, s.last[0].caller
	}
	return 2, caller{}
}

func (s *server) called(c caller) {
	if s.last[0].caller != c {
		s.last[1] = s.last[0]
	}
	s.last[0] = turn{c, s.number}
}

// pairs counts two equal calls of a read, and how many of them answered differently.
type pairs struct{ n, changed int64 }

func (p *pairs) add(changed bool) {
	p.n++
	if changed {
		p.changed++
	}
}

// seen is what several events show together.
type seen struct {
	alone  map[learn.Tool]*pairs                // of a read, nothing between
	across map[learn.Tool]map[learn.Tool]*pairs // of the one tool between, by read
	shapes map[learn.Tool]map[string]int64      // of arguments
}

// observe goes through events in the order in which they ended.
func observe(events iter.Seq2[learn.Event, error]) (seen, error) {
	all := seen{map[learn.Tool]*pairs{}, map[learn.Tool]map[learn.Tool]*pairs{}, map[learn.Tool]map[string]int64{}}
	servers := map[string]*server{}
	for e, err := range events {
		if err != nil {
			return all, err
		}
		if e.Input.Shape != "" {
			all.shape(e.Tool, e.Input.Shape)
		}
		if e.Outcome == learn.Refused {
			continue
		}
		s := servers[e.Tool.Server]
		if s == nil {
			s = &server{asked: map[call]answer{}}
			servers[e.Tool.Server] = s
		}
		all.next(s, e)
	}
	return all, nil
}

// maxShapes is how many shapes of one tool are told apart.
const maxShapes = 64

func (all *seen) shape(t learn.Tool, shape string) {
	counts := all.shapes[t]
	if counts == nil {
		counts = map[string]int64{}
		all.shapes[t] = counts
	}
	if _, known := counts[shape]; !known && len(counts) >= maxShapes {
		shape = learn.Other
	}
	counts[shape]++
}

// next takes the next event of a server in. A call that failed or was cancelled may have done something all the same, so it counts as one in between, and
// its answer as none. Pairs between which another session called are not counted: that tool is one in between as well.
func (all *seen) next(s *server, e learn.Event) {
	s.number++
	me := caller{e.Session, e.Tool}
	this := call{me, e.Input.Digest}
	before, known := s.asked[this]
	comparable := e.Outcome == learn.Succeeded && e.Session != "" && e.Input.Digest != "" && e.Output.Digest != ""
	if known && comparable && e.At.Sub(before.at) <= maxApart {
		changed := before.output != e.Output.Digest
		switch callers, one := s.between(before.number); {
		case callers == 0:
			count(all.alone, e.Tool).add(changed)
		case callers == 1 && one.session == e.Session && one.tool != e.Tool:
			if all.across[one.tool] == nil {
				all.across[one.tool] = map[learn.Tool]*pairs{}
			}
			count(all.across[one.tool], e.Tool).add(changed)
		}
	}
	s.called(me)
	if !comparable {
		delete(s.asked, this)
		return
	}
	if !known && len(s.asked) >= maxAsked {
		clear(s.asked)
	}
	s.asked[this] = answer{e.Output.Digest, s.number, e.At}
}

func count(in map[learn.Tool]*pairs, key learn.Tool) *pairs {
	if in[key] == nil {
		in[key] = &pairs{}
	}
	return in[key]
}

// What it takes to say that a tool changes what another reads: reads that hardly ever change by themselves, enough pairs, and more change than chance makes.
const (
	stablePairs  = 5    // of a read with nothing between
	stableShare  = 0.05 // of them that changed, at most
	enoughPairs  = 5
	leastShare   = 0.2
	significance = 0.01
)

// disturbs adds up the pairs of stable reads with t between, and compares them with the same reads' pairs with nothing between.
func (all *seen) disturbs(t learn.Tool) (pairs, bool) {
	var with, without pairs
	for read, p := range all.across[t] {
		alone := all.alone[read]
		if alone == nil || alone.n < stablePairs || float64(alone.changed) > stableShare*float64(alone.n) {
			continue
		}
		with.n, with.changed = with.n+p.n, with.changed+p.changed
		without.n, without.changed = without.n+alone.n, without.changed+alone.changed
	}
	is := with.n >= enoughPairs && float64(with.changed) >= leastShare*float64(with.n) &&
		stat.SharesP(with.changed, with.n, without.changed, without.n) < significance
	return with, is
}

// Disturbing reports the tools whose calls the events of a store show to change what others read.
func Disturbing(ctx context.Context, s Store) (map[learn.Tool]bool, error) {
	all, err := observe(s.Events(ctx, learn.Query{}))
	if err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	disturbing := map[learn.Tool]bool{}
	for t := range all.across {
		if _, is := all.disturbs(t); is {
			disturbing[t] = true
		}
	}
	return disturbing, nil
}

func (all *seen) addTo(p *Profile, t learn.Tool) {
	if alone := all.alone[t]; alone != nil {
		p.Repeats = published(*alone)
	}
	if with, is := all.disturbs(t); is {
		p.Disturbs = published(with)
	}
	p.Shapes = shares(all.shapes[t], total(all.shapes[t]))
}

func published(p pairs) *Pairs {
	i := stat.Wilson(p.changed, p.n)
	return &Pairs{p.n, p.changed, stat.Round4(i.Low), stat.Round4(i.High)}
}
