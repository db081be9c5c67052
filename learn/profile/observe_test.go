package profile

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"anvil/learn"
)

var morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func tool(name string) learn.Tool { return learn.Tool{Server: "shop", Name: name, Contract: "c1"} }

// shop is a server whose stock changes with each sale, with the chance that is given, and whose clock changes by itself.
type shop struct {
	r      *rand.Rand
	events []learn.Event
	stock  int
}

func (s *shop) call(session, name string) {
	output := "same"
	switch name {
	case "get_stock":
		output = fmt.Sprint("stock ", s.stock)
	case "get_time":
		output = fmt.Sprint("time ", len(s.events))
	case "peek": // it calls itself a read, and takes one away
		s.stock--
	case "sell":
		s.stock--
		output = fmt.Sprint("receipt ", len(s.events))
	}
	n := len(s.events)
	s.events = append(s.events, learn.Event{
		ID: fmt.Sprint("e", n), Session: session, Tool: tool(name), At: morning.Add(time.Duration(n) * time.Second), Duration: time.Second,
		Outcome: learn.Succeeded, Attempts: 1, Input: learn.Payload{Bytes: 2, Digest: "in-" + name, Shape: "{}"}, Output: learn.Payload{Bytes: 9, Digest: output},
	})
}

func (s *shop) seen(t *testing.T) *seen {
	t.Helper()
	all, err := observe(func(yield func(learn.Event, error) bool) {
		for _, e := range s.events {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return &all
}

// TestWhoChangesWhatOthersRead: a tool that takes away from what another reads is told from tools that do not, by nothing but digests.
func TestWhoChangesWhatOthersRead(t *testing.T) {
	s := &shop{r: rand.New(rand.NewPCG(1, 1))}
	for i := range 40 {
		session := fmt.Sprint("s", i%4)
		for _, name := range []string{"get_stock", "get_stock", []string{"peek", "sell", "get_name", "get_time"}[s.r.IntN(4)], "get_stock", "get_time", "get_time"} {
			s.call(session, name)
		}
	}
	all := s.seen(t)
	for name, want := range map[string]bool{"peek": true, "sell": true, "get_name": false, "get_time": false, "get_stock": false} {
		p, is := all.disturbs(tool(name))
		if is != want {
			t.Errorf("%s: %v, of %d pairs %d changed", name, is, p.n, p.changed)
		}
	}
	if p := all.alone[tool("get_time")]; p == nil || p.changed != p.n {
		t.Errorf("a clock is taken for stable: %+v", p)
	}
}

// TestSessionsAreApart: what happens in one session is not held against a tool of another.
func TestSessionsAreApart(t *testing.T) {
	s := &shop{}
	for range 30 {
		s.call("a", "get_stock")
		s.call("b", "sell")
		s.call("b", "get_name")
		s.call("a", "get_stock")
	}
	all := s.seen(t)
	for _, name := range []string{"sell", "get_name"} {
		if _, is := all.disturbs(tool(name)); is {
			t.Errorf("%s changes what it was never seen to", name)
		}
	}
}

// TestChanceDisturbsNothing: reads that change by themselves now and then prove nothing of the harmless tool between them.
func TestChanceDisturbsNothing(t *testing.T) {
	accused := 0
	for seed := range uint64(300) {
		s := &shop{r: rand.New(rand.NewPCG(seed, 3))}
		for range 30 {
			for _, name := range []string{"get_stock", "get_stock", "get_name", "get_stock"} {
				if s.r.IntN(50) == 0 {
					s.stock++
				}
				s.call("s", name)
			}
		}
		if _, is := s.seen(t).disturbs(tool("get_name")); is {
			accused++
		}
	}
	if accused > 1 {
		t.Errorf("a harmless tool is accused in %d of 300 runs", accused)
	}
}

func TestRepeats(t *testing.T) {
	s := &shop{}
	for range 12 {
		s.call("s", "sell")
	}
	s.call("s", "get_name")
	s.call("s", "get_name")
	var p Profile
	all := s.seen(t)
	all.addTo(&p, tool("sell"))
	if p.Repeats == nil || p.Repeats.N != 11 || p.Repeats.Changed != 11 || p.Repeats.Low < 0.7 || len(p.Shapes) != 1 || p.Shapes[0].N != 12 {
		t.Errorf("%+v %+v", p.Repeats, p.Shapes)
	}
	if alone := all.alone[tool("get_name")]; alone.n != 1 || alone.changed != 0 {
		t.Errorf("%+v", alone)
	}
}

// TestAFailureIsBetweenAndNoAnswer.
func TestAFailureIsBetweenAndNoAnswer(t *testing.T) {
	s := &shop{}
	for range 8 {
		s.call("s", "get_stock")
		s.call("s", "get_stock")
		s.call("s", "sell")
		s.events[len(s.events)-1].Outcome = learn.Failed
		s.call("s", "get_stock")
	}
	if p, is := s.seen(t).disturbs(tool("sell")); !is || p.n != 8 {
		t.Errorf("%v %+v", is, p)
	}
}

func TestManyOfEverythingIsBounded(t *testing.T) {
	s := &shop{}
	for i := range 20_000 {
		s.call(fmt.Sprint("session ", i), "get_name")
		s.events[i].Input.Shape = fmt.Sprint("shape ", i)
	}
	if all := s.seen(t); len(all.shapes[tool("get_name")]) != maxShapes+1 {
		t.Errorf("%d shapes", len(all.shapes[tool("get_name")]))
	}
}
