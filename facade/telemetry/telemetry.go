package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"anvil/compiler/diag"
)

const scope = "anvil/facade"

// Options say what is told, and to whom.
type Options struct {
	Getenv  func(string) string // of OTEL_*, which decide what is exported; the exporters read the process's own for where and how
	Listen  bool                // metrics are collected for a Handler, whatever the environment says
	Version string              // of anvil
	Log     func(string)        // gets what goes wrong with exporting, each line once; nil discards
}

// Telemetry is safe for concurrent use.
type Telemetry struct {
	tracer   trace.Tracer            // nil: no spans are made
	calls    metric.Float64Histogram // nil: nothing is measured
	sessions metric.Float64Histogram
	other    *Tool
	active   atomic.Int64
	open     atomic.Int64
	ready    atomic.Pointer[func() error]

	mu      sync.Mutex
	tools   map[string]*Tool
	scraped *sdkmetric.ManualReader // nil without a listener
	end     []func(context.Context) error
}

// Start sets up what o asks for. It returns nil when that is nothing, and an error when the environment asks for what is not there.
func Start(ctx context.Context, o Options) (*Telemetry, error) {
	traces, err := wanted(o.Getenv, "TRACES")
	if err != nil {
		return nil, err
	}
	metrics, err := wanted(o.Getenv, "METRICS")
	if err != nil {
		return nil, err
	}
	if !traces && !metrics && !o.Listen {
		return nil, nil
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(attribute.String("service.name", "anvil"), attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Telemetry{tools: map[string]*Tool{}, other: newTool(other)}
	if traces || metrics {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(told(o.Log)))
	}
	if traces {
		err = t.traceTo(ctx, about)
	}
	if err == nil && (metrics || o.Listen) {
		err = t.measureFor(ctx, about, metrics, o.Listen)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close(ctx))
	}
	return t, nil
}

// wanted reports whether the environment asks for a signal to be exported: by OTEL_..._EXPORTER, or by naming a collector.
func wanted(getenv func(string) string, signal string) (bool, error) {
	if getenv == nil || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	name := "OTEL_" + signal + "_EXPORTER"
	switch exporter := getenv(name); exporter {
	case "none":
		return false, nil
	case "otlp":
	case "":
		if getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") == "" {
			return false, nil
		}
	default:
		return false, fmt.Errorf("%s=%q is not known; it is otlp or none (metrics can be scraped with --metrics ADDRESS)", name, exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return false, fmt.Errorf("%s=%q is not spoken here; it is http/protobuf, which collectors take on port 4318", name, protocol)
		} else if protocol != "" {
			break
		}
	}
	return true, nil
}

// told returns who is told what goes wrong with exporting: each line once, and so many at most.
func told(log func(string)) func(error) {
	var mu sync.Mutex
	lines := map[string]bool{}
	return func(err error) {
		line := diag.Printable(err.Error())
		mu.Lock()
		defer mu.Unlock()
		if log == nil || lines[line] || len(lines) >= 20 {
			return
		}
		lines[line] = true
		log("telemetry could not be exported: " + line)
	}
}

func (t *Telemetry) traceTo(ctx context.Context, about *resource.Resource) error {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("export traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	t.tracer = provider.Tracer(scope)
	t.end = append(t.end, provider.Shutdown)
	return nil
}

func (t *Telemetry) measureFor(ctx context.Context, about *resource.Resource, export, listen bool) error {
	options := []sdkmetric.Option{sdkmetric.WithResource(about), sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter)}
	if export {
		exporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return fmt.Errorf("export metrics: %w", err)
		}
		options = append(options, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
	}
	if listen {
		t.scraped = sdkmetric.NewManualReader()
		options = append(options, sdkmetric.WithReader(t.scraped))
	}
	provider := sdkmetric.NewMeterProvider(options...)
	t.end = append(t.end, provider.Shutdown)
	return t.instruments(provider.Meter(scope))
}

func (t *Telemetry) instruments(meter metric.Meter) (err error) {
	histogram := func(name, about string) metric.Float64Histogram {
		h, failed := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(boundaries...))
		err = errors.Join(err, failed)
		return h
	}
	gauge := func(name, about string, value func() int64) {
		_, failed := meter.Int64ObservableGauge(name, metric.WithDescription(about), metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value())
			return nil
		}))
		err = errors.Join(err, failed)
	}
	t.calls = histogram(metricCalls, "How long calls took, from the client's request to its reply.")
	t.sessions = histogram(metricSessions, "How long sessions lasted.")
	gauge(metricOpen, "Sessions that are open.", t.open.Load)
	gauge(metricActive, "Calls under way.", t.active.Load)
	gauge(metricTrouble, "1 while the facade is ready, else 0.", func() int64 {
		if t.Ready() != nil {
			return 0
		}
		return 1
	})
	return err
}

// Watch has ready decide whether the facade is; it must not block.
func (t *Telemetry) Watch(ready func() error) { t.ready.Store(&ready) }

// Ready says why the facade is not ready; nil when it is, and while nobody watches.
func (t *Telemetry) Ready() error {
	if ready := t.ready.Load(); ready != nil {
		return (*ready)()
	}
	return nil
}

// Close exports what waits, until ctx ends, and ends it all.
func (t *Telemetry) Close(ctx context.Context) error {
	var err error
	for _, end := range t.end {
		err = errors.Join(err, end(ctx))
	}
	return err
}
