package advise

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// ask is the decision on a record.
func ask(g Gate, r learn.Record) Decision {
	return g.Decide(Question{Server: r.Tool.Server, Name: r.Tool.Name, Record: &r}).Decision
}

// Assertion 23.
func TestGateAsTheReference(t *testing.T) {
	g := Gate{Stance: Parity}
	risky := func(r learn.Record) learn.Record { r.Annotation.Risk = "high"; return r }
	named := func(name string) learn.Record { return observe(name).calls(10).Record }
	deny := func(patterns ...string) Gate { return Gate{Stance: Parity, Deny: patterns} }
	for name, c := range map[string]struct {
		g    Gate
		r    learn.Record
		want Decision
	}{
		"healthy":              {g, of(40, 0).Record, Allow},
		"high risk":            {g, risky(of(40, 0).Record), Confirm},
		"flaky":                {g, of(40, 12).Record, Confirm},
		"exact":                {deny("rotate_keys"), of(40, 0).Record, Deny},
		"prefix":               {deny("x.*"), named("x.y"), Deny},
		"infix":                {deny("*.delete_*"), named("db.delete_all"), Deny},
		"not matching":         {deny("x.*", "*.delete_*", "rotate"), of(40, 0).Record, Allow},
		"deny beats high risk": {deny("rotate_*"), risky(of(40, 0).Record), Deny},
		"a fifth of ten":       {g, of(10, 2).Record, Confirm},
		"two of nine":          {g, of(9, 2).Record, Allow},
		"an odd risk":          {g, learn.Record{Annotation: learn.Annotation{Risk: "extreme"}}, Confirm},
	} {
		if got := ask(c.g, c.r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Assertion 51, its first part.
func TestStrictDeniesTheUnknown(t *testing.T) {
	q := Question{Server: "vault", Name: "never_seen"}
	if v := (Gate{}).Decide(q); v.Decision != Deny || v.Rule != "unknown" || !strings.Contains(v.Reason, `"vault/never_seen" is unknown`) {
		t.Errorf("%+v", v)
	}
	if v := (Gate{Stance: Parity}).Decide(q); v.Decision != Allow {
		t.Errorf("%+v", v)
	}
	q.Listed = true
	if v := (Gate{}).Decide(q); v.Decision != Allow {
		t.Errorf("listed: %+v", v)
	}
	if v := (Gate{Stance: "other"}).Decide(Question{Name: "x"}); v.Decision != Deny {
		t.Errorf("a stance that is none: %+v", v)
	}
}

// Assertion 47, as far as the gate goes: asking changes nothing, and equal evidence has equal verdicts. Nothing here could write: there is no store.
func TestAskingChangesNothing(t *testing.T) {
	r := of(40, 12).Record
	before := fmt.Sprintf("%+v", r)
	first := Gate{}.Decide(Question{Server: "vault", Name: "rotate_keys", Record: &r})
	for range 10 {
		if diff := cmp.Diff(first, (Gate{}).Decide(Question{Server: "vault", Name: "rotate_keys", Record: &r})); diff != "" {
			t.Error(diff)
		}
	}
	if after := fmt.Sprintf("%+v", r); after != before {
		t.Errorf("the record was %s\nand is %s", before, after)
	}
	if diff := cmp.Diff(Gate{}.Advice(r, Safety{}), Gate{}.Advice(r, Safety{})); diff != "" || only(Gate{}.Advice(r, Safety{})) != `{"decision":"require_confirmation","rule":"flaky"}` {
		t.Errorf("%s%v", diff, Gate{}.Advice(r, Safety{}))
	}
}

// Nothing learned is published as "allow" where the effect is not known to be harmless: unknown is not safe.
func TestNothingIsAllowedThatIsNotKnownToBeHarmless(t *testing.T) {
	const effect, disturbs, allowed = `{"decision":"require_confirmation","rule":"effect"}`, `{"decision":"require_confirmation","rule":"disturbs"}`, `{"decision":"allow","rule":"allow"}`
	for name, c := range map[string]struct {
		s    Safety
		want string
	}{
		"nothing is known":           {Safety{}, ""},
		"a mutation":                 {Safety{Idempotent: true, Changes: NotSeen}, ""},
		"what destroys":              {Safety{ReadOnly: true, Destructive: true, Changes: NotSeen}, ""},
		"a read nobody looked at":    {Safety{ReadOnly: true}, ""},
		"nothing said, nothing seen": {Safety{Changes: NotSeen}, ""},
		"a read":                     {Safety{ReadOnly: true, Changes: NotSeen}, allowed},
		"a read that asks":           {Safety{ReadOnly: true, Confirms: true, Changes: NotSeen}, effect},
		"a mutation that asks":       {Safety{Confirms: true}, effect},
		"a read that changes":        {Safety{ReadOnly: true, Changes: Seen}, disturbs},
		"seen, and nothing said":     {Safety{Changes: Seen}, disturbs},
	} {
		for _, stance := range []Stance{Strict, Parity} {
			got := Gate{Stance: stance}.Advice(of(40, 0).Record, c.s)
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || string(got[0].Payload) != c.want) {
				t.Errorf("%s: %v, want %s", name, got, c.want)
			}
		}
		flaky := Gate{}.Advice(of(40, 12).Record, c.s)
		if len(flaky) != 1 || string(flaky[0].Payload) != `{"decision":"require_confirmation","rule":"flaky"}` {
			t.Errorf("%s, flaky: %v", name, flaky)
		}
	}
	// What was seen once stays where nobody looks again.
	r := of(40, 0).Record
	r.Recommendations = Gate{}.Advice(r, Safety{Changes: Seen})
	if got := only(Gate{}.Advice(r, Safety{ReadOnly: true})); got != disturbs {
		t.Error(got)
	}
	if got := only(Gate{}.Advice(r, Safety{ReadOnly: true, Changes: NotSeen})); got != allowed {
		t.Error(got)
	}
	if (Safety{ReadOnly: true, Changes: Seen}).Repeats() {
		t.Error("a read that was seen to change something is made twice")
	}
}

func TestTraceTellsWhichRuleFired(t *testing.T) {
	r := of(40, 12).Record
	v := Gate{Deny: []string{"mail/*"}}.Decide(Question{Server: "vault", Name: "rotate_keys", Record: &r})
	want := []Step{
		{"deny", false, `none of 1 patterns denies "vault/rotate_keys"`},
		{"unknown", false, `"vault/rotate_keys" is known`},
		{"risk", false, "nobody states a risk"},
		{"flaky", true, "12 of the latest 40 calls fail (30 %); a person has to agree from 20 % on"},
	}
	if diff := cmp.Diff(want, v.Trace); diff != "" || v.Rule != "flaky" || v.Reason != want[3].Said {
		t.Errorf("%s, %s:\n%s", v.Rule, v.Reason, diff)
	}
}

// Assertion 52.
func TestAServersPatternIsOfThatServer(t *testing.T) {
	names := []string{"", "a", "delete/all", "vault/x", "*", "日本"}
	for server, want := range map[string]bool{"vault": true, "vault2": false, "my-vault": false, "": false, "Vault": false, "vault/eu": false, "x/vault": false, "*": false} {
		for _, name := range names {
			if got := Match("vault/*", server, name); got != want {
				t.Errorf("vault/* and %q %q: %v", server, name, got)
			}
		}
	}
	g := Gate{Stance: Parity, Deny: []string{"vault/*"}}
	if g.Decide(Question{Server: "vault", Name: "rotate"}).Decision != Deny || g.Decide(Question{Server: "mail", Name: "vault/rotate"}).Decision != Allow {
		t.Error("the gate says otherwise")
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, server, name string
		want                  bool
	}{
		{"*", "s", "anything", true}, {"", "s", "", true}, {"", "s", "x", false}, {"a?c", "s", "abc", true}, {"a?c", "s", "ac", false}, {"?", "s", "日", true}, {"??", "s", "日", false},
		{"a.c", "s", "abc", false}, {"[ab]", "s", "a", false}, {"*a*b*", "s", "xxaxxbxx", true}, {"*ab", "s", "abab", true}, {"a*", "s", "ba", false}, {"A", "s", "a", false},
		{"x/y", "", "x/y", false}, {"/x/y", "", "x/y", true}, {"vault/eu/*", "vault/eu", "a", true}, {"vault/eu/*", "vault", "eu/a", true}, {"*/delete_*", "s", "delete_all", true},
		{"*/delete_*", "s", "undelete_all", false}, {"v*t/r?t", "vault", "rot", true}, {"**", "s", "", true}, {"a**b", "s", "ab", true}, {"*日*", "s", "本日本", true},
	} {
		if got := Match(c.pattern, c.server, c.name); got != c.want {
			t.Errorf("%q and %q %q: %v", c.pattern, c.server, c.name, got)
		}
	}
	if Match(strings.Repeat("*a", 2000), "s", strings.Repeat("a", 1999)+"b") {
		t.Error("it matches")
	}
}

// slow is the definition of a glob, by recursion.
func slow(pattern, text []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(text) == 0
	case pattern[0] == '*':
		return slow(pattern[1:], text) || len(text) > 0 && slow(pattern, text[1:])
	}
	return len(text) > 0 && (pattern[0] == '?' || pattern[0] == text[0]) && slow(pattern[1:], text[1:])
}

func TestGlobIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 52))
	draw := func(from string, n int) string {
		letters, out := []rune(from), []rune{}
		for range r.IntN(n) {
			out = append(out, letters[r.IntN(len(letters))])
		}
		return string(out)
	}
	matched := 0
	for range 50_000 {
		pattern, text := draw("ab日*?*", 8), draw("ab日*", 8)
		got := glob(pattern, text)
		if got != slow([]rune(pattern), []rune(text)) {
			t.Fatalf("%q and %q: %v", pattern, text, got)
		}
		if got {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matched", matched)
	}
}
