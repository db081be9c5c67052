package telemetry

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// contentType is that of Prometheus' text format.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// WritePrometheus writes what was measured so far in Prometheus' text format, names as OpenTelemetry's "Prometheus and OpenMetrics compatibility" makes them.
func (t *Telemetry) WritePrometheus(ctx context.Context, w io.Writer) error {
	var collected metricdata.ResourceMetrics
	if err := t.scraped.Collect(ctx, &collected); err != nil {
		return err
	}
	var b strings.Builder
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			name := promName(m.Name)
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				name += "_seconds" // all of ours are
				head(&b, name, "histogram", m.Description)
				for _, p := range data.DataPoints {
					writeHistogram(&b, name, p)
				}
			case metricdata.Gauge[int64]:
				head(&b, name, "gauge", m.Description)
				for _, p := range data.DataPoints {
					fmt.Fprintf(&b, "%s%s %d\n", name, labels(p.Attributes, ""), p.Value)
				}
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func head(b *strings.Builder, name, kind, about string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, escape(about, false), name, kind)
}

func writeHistogram(b *strings.Builder, name string, p metricdata.HistogramDataPoint[float64]) {
	sum := uint64(0)
	for i, n := range p.BucketCounts {
		sum += n
		bound := math.Inf(1)
		if i < len(p.Bounds) {
			bound = p.Bounds[i]
		}
		fmt.Fprintf(b, "%s_bucket%s %d\n", name, labels(p.Attributes, number(bound)), sum)
	}
	fmt.Fprintf(b, "%s_sum%s %s\n", name, labels(p.Attributes, ""), number(p.Sum))
	fmt.Fprintf(b, "%s_count%s %d\n", name, labels(p.Attributes, ""), p.Count)
}

func number(f float64) string {
	if math.IsInf(f, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// labels writes {name="value",...}; le is the bound of a bucket, "" for none.
func labels(set attribute.Set, le string) string {
	var all []string
	for _, kv := range set.ToSlice() {
		all = append(all, promName(string(kv.Key))+`="`+escape(kv.Value.String(), true)+`"`)
	}
	slices.Sort(all)
	if le != "" {
		all = append(all, `le="`+le+`"`)
	}
	if len(all) == 0 {
		return ""
	}
	return "{" + strings.Join(all, ",") + "}"
}

func promName(name string) string { return strings.ReplaceAll(name, ".", "_") }

var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, `"`, `\"`)

func escape(text string, quoted bool) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if quoted {
		return escapes.Replace(text)
	}
	return strings.NewReplacer("\\", `\\`, "\n", `\n`).Replace(text)
}
