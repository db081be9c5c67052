package gate

import (
	stdcontext "context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"anvil/compiler/diag"
)

// crowd are findings of one rule, on one axis: as many as are asked for of each class, the mildest first, each with so much text.
func crowd(rule, axis string, text int, classes map[diag.Class]int) []diag.Finding {
	var findings []diag.Finding
	for _, class := range []diag.Class{diag.Info, diag.Warning, diag.Error} {
		for i := range classes[class] {
			f := diag.Finding{Rule: rule, Axis: axis, Class: class, Subject: fmt.Sprintf("tool/%s%06d", class, i), Message: strings.Repeat("x", text)}
			findings = append(findings, f.Sealed())
		}
	}
	return findings
}

// TestVerdictIsBounded adds crowds of findings in two orders: the worst are listed, the same ones, and what is not listed is counted.
func TestVerdictIsBounded(t *testing.T) {
	crowds := [][]diag.Finding{
		crowd("few", "", 10, map[diag.Class]int{diag.Error: 3, diag.Info: 2}),
		crowd("many", "", 10, map[diag.Class]int{diag.Error: 700, diag.Warning: 700, diag.Info: 3000}),
		crowd("long", "client:a", 20_000, map[diag.Class]int{diag.Error: 150, diag.Warning: 150}),
		crowd("long", "client:b", 20_000, map[diag.Class]int{diag.Warning: 500}),
	}
	collect := func(order ...int) []diag.Finding {
		c := newCollector(Options{})
		for _, i := range order {
			c.add(crowds[i])
		}
		return c.verdict().Findings
	}
	findings := collect(0, 1, 2, 3)
	type key struct {
		rule, axis string
		class      diag.Class
	}
	listed, told := map[key]int{}, map[key]int{}
	size := 0
	for _, f := range findings {
		if f.Subject == "server" {
			left := 0
			if _, err := fmt.Sscanf(f.Message, "%d more findings of rule", &left); err != nil {
				t.Fatal(err)
			}
			told[key{f.Rule, f.Axis, f.Class}] = left
			continue
		}
		listed[key{f.Rule, f.Axis, f.Class}]++
		size += sizeOfFinding(f)
	}
	if size > reportFloor {
		t.Errorf("%d bytes are listed", size)
	}
	for k, want := range map[key]int{{"few", "", diag.Error}: 3, {"many", "", diag.Error}: 700, {"long", "client:a", diag.Error}: 150} {
		if listed[k] != want {
			t.Errorf("%d of %d errors of %s are listed", listed[k], want, k.rule)
		}
	}
	// What no longer fits leaves out everything that is milder, too.
	if listed[key{"few", "", diag.Info}] != 0 || told[key{"few", "", diag.Info}] != 2 {
		t.Errorf("information is listed where warnings are not: listed %v, told %v", listed, told)
	}
	all := map[string]int{}
	for k, n := range listed {
		all[k.rule+k.axis] += n
	}
	for k, n := range told {
		all[k.rule+k.axis] += n
		if k.rule == "long" && k.class != diag.Warning {
			t.Errorf("what is left out of long are warnings, and it is told as %s", k.class)
		}
	}
	if all["few"] != 5 || all["many"] != 4400 || all["longclient:a"] != 300 || all["longclient:b"] != 500 {
		t.Errorf("listed and told together: %v", all)
	}
	for i, f := range collect(3, 1, 0, 2) {
		if f.Fingerprint != findings[i].Fingerprint {
			t.Fatalf("found in another order, another finding is listed: %+v", f)
		}
	}
}

// TestBoundKeepsTheVerdict leaves errors out, and still refuses; accepted ones that are left out refuse nothing.
func TestBoundKeepsTheVerdict(t *testing.T) {
	huge := crowd("long", "", 5<<20, map[diag.Class]int{diag.Error: 2})
	c := newCollector(Options{})
	c.add(huge)
	v := c.verdict()
	if !v.Refused() || len(v.Findings) != 1 || v.Findings[0].Message != "2 more findings of rule long are not listed" {
		t.Errorf("errors that do not fit: %+v", v.Findings)
	}
	var accepted []Acceptance
	many := crowd("many", "", 10, map[diag.Class]int{diag.Error: 1200})
	for i := range many {
		many[i].Tool = strings.TrimPrefix(many[i].Subject, "tool/")
		accepted = append(accepted, Acceptance{Rule: "many", Tool: many[i].Tool, Reason: "r", Until: day("2027-01-01")})
	}
	judge := func(accepted []Acceptance) Verdict {
		c := newCollector(Options{Accepted: accepted, Now: day("2026-11-30")})
		c.add(many)
		return c.verdict()
	}
	if v := judge(accepted); v.Refused() || len(v.Findings) != maxOfRule+1 || len(Leftovers(accepted, v.Covered, day("2026-11-30"))) > 0 {
		t.Errorf("all are accepted, and %d findings are listed; refused %t", len(v.Findings), v.Refused())
	}
	one := only(judge(accepted[1:]).Findings, "many")
	if i := slices.IndexFunc(one, func(f diag.Finding) bool { return f.Class == diag.Error }); i < 0 || one[i].Tool != many[0].Tool {
		t.Errorf("the one that is not accepted is not listed: %+v", one[0])
	}
}

// countdown is done once it was looked at so many times.
type countdown struct {
	stdcontext.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return stdcontext.Canceled
	}
	return nil
}

// TestEveryCheckEnds judges each hostile surface with a context that is done a little after each check begins: no check looks at much more of the
// surface from then on.
func TestEveryCheckEnds(t *testing.T) {
	for _, h := range hostile {
		v := newSurvey(surfaceOfTools(t, h.tools(h.size/4)), Options{Clients: everyClient()})
		for i, check := range slices.Concat(itemChecks, utteranceChecks) {
			all := &countdown{stdcontext.Background(), 1 << 40}
			v.ctx = all
			check(v)
			few := &countdown{stdcontext.Background(), 3}
			v.ctx, v.schemas = few, nil
			check(v)
			looks := 1<<40 - all.looks
			if behind := -few.looks; looks > 100 && behind > 60 { // one for each axis or kind that is gone through, and each level of JSON
				t.Errorf("%s: check %d looks %d times, and %d times after it was told to end", h.name, i, looks, behind)
			}
			v.schemas = nil
		}
	}
}

// TestCheckEndsWithItsContext ends the judgement of a large surface before it can be done.
func TestCheckEndsWithItsContext(t *testing.T) {
	s := surfaceOfTools(t, manyTools(5000))
	ctx, cancel := stdcontext.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if v, err := CheckContext(ctx, s, Options{}); !errors.Is(err, stdcontext.DeadlineExceeded) || len(v.Findings) > 0 {
		t.Errorf("error %v and %d findings", err, len(v.Findings))
	}
	servers := []Surface{{Server: "a", Snapshot: s}, {Server: "b", Snapshot: s}}
	if v, err := CheckTogetherContext(ctx, servers, Options{}); !errors.Is(err, stdcontext.DeadlineExceeded) || len(v.Findings) > 0 {
		t.Errorf("together: error %v and %d findings", err, len(v.Findings))
	}
}
