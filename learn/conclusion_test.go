package learn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInsightsThatSayTheSame(t *testing.T) {
	one := Insight{Key: "k", Value: []byte("1"), Confidence: 70, Source: FromEvaluation, N: 40, Low: 0.1, High: 0.3, Window: "all", ObservedAt: morning, Expires: morning.Add(time.Hour)}
	same := one
	same.Value, same.ObservedAt = []byte("1"), morning.Add(time.Nanosecond).In(time.FixedZone("", 3600))
	if !one.Equal(same) {
		t.Error("an insight is another in another zone")
	}
	for name, change := range map[string]func(*Insight){
		"key": func(i *Insight) { i.Key = "l" }, "value": func(i *Insight) { i.Value = []byte("2") }, "confidence": func(i *Insight) { i.Confidence++ },
		"source": func(i *Insight) { i.Source = FromHuman }, "n": func(i *Insight) { i.N++ }, "low": func(i *Insight) { i.Low = 0 }, "high": func(i *Insight) { i.High = 0 },
		"window": func(i *Insight) { i.Window = "" }, "observed": func(i *Insight) { i.ObservedAt = morning.Add(time.Microsecond) }, "expires": func(i *Insight) { i.Expires = time.Time{} },
	} {
		other := one
		if change(&other); one.Equal(other) {
			t.Errorf("another %s is the same", name)
		}
	}
	if !one.Live(morning) || one.Live(morning.Add(time.Hour)) || !(Insight{}).Live(morning) {
		t.Error("an insight lives until it expires, and for ever without an end")
	}
}

func TestChangesOfInsights(t *testing.T) {
	insight := func(key, value string, n int64) Insight { return Insight{Key: key, Value: []byte(value), N: n} }
	tool := Tool{Name: "x"}
	got := ChangesOf(tool, []Insight{insight("a", "1", 1), insight("b", "1", 2), insight("c", "1", 3)}, []Insight{insight("d", "1", 9), insight("c", "2", 9), insight("b", "1", 9)}, morning)
	want := []Change{{morning, tool, "a", []byte("1"), nil, 1}, {morning, tool, "c", []byte("1"), []byte("2"), 9}, {morning, tool, "d", nil, []byte("1"), 9}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for i, word := range []string{"withdrawn", "changed", "new"} {
		if got[i].Word() != word {
			t.Errorf("%+v is %s", got[i], got[i].Word())
		}
	}
}

// A refusal says nothing of the tool, so its code is counted apart from those of failures.
func TestCodesOfRefusalsAreNoneOfFailures(t *testing.T) {
	refused := func(e *Event) { e.Outcome, e.Code = Refused, "rate_limited" }
	failed := func(e *Event) { e.Outcome, e.Code = Failed, "EACCES" }
	c := fold(event(1, refused), event(2, failed), event(3, refused))
	c.Merge(fold(event(4, refused)))
	if diff := cmp.Diff(map[string]int64{"EACCES": 1}, c.Codes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"rate_limited": 3}, c.Refusals); diff != "" {
		t.Error(diff)
	}
}
