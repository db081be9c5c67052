package telemetry

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	promType   = regexp.MustCompile(`^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$`)
	promHelp   = regexp.MustCompile(`^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\n]*$`)
	promSample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? ([0-9.eE+-]+|\+Inf)$`)
)

// parsePrometheus reads the text format by its grammar: by metric, the values by their labels. It fails on a series that is given twice, a sample without its
// type, and a histogram whose buckets do not add up.
func parsePrometheus(t *testing.T, text string) map[string]map[string]float64 {
	t.Helper()
	kinds, all := map[string]string{}, map[string]map[string]float64{}
	last := map[string]float64{} // of the buckets of one series
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line has no end")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := promType.FindStringSubmatch(line); m != nil {
			if kinds[m[1]] != "" {
				t.Errorf("%s is declared twice", m[1])
			}
			kinds[m[1]] = m[2]
			continue
		} else if promHelp.MatchString(line) {
			continue
		}
		m := promSample.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a sample: %q", line)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if _, twice := all[m[1]][m[2]]; twice || err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if all[m[1]] == nil {
			all[m[1]] = map[string]float64{}
		}
		all[m[1]][m[2]] = value
		family, bucket := strings.CutSuffix(m[1], "_bucket")
		if bucket {
			of, le, _ := strings.Cut(m[2], `le="`)
			key := family + strings.TrimSuffix(of, ",")
			if value < last[key] {
				t.Errorf("the buckets of %s fall", key)
			}
			last[key] = value
			_ = le
			continue
		}
		if counted, is := strings.CutSuffix(m[1], "_count"); is {
			family = counted
			if last[family+m[2]] != value || !strings.Contains(text, m[1][:len(m[1])-len("_count")]+"_bucket") {
				t.Errorf("%s{%s}: the last bucket has %v of %v", family, m[2], last[family+m[2]], value)
			}
		}
		if kinds[family] == "" && kinds[strings.TrimSuffix(family, "_sum")] == "" {
			t.Errorf("%s has no type", m[1])
		}
	}
	return all
}
