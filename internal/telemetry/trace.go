package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// TraceOptions configures the tracing.
type TraceOptions struct {
	Endpoint string  // the collector's OTLP/HTTP address; "" for no traces
	Ratio    float64 // the fraction of new traces that is sampled; a sampling decision of the caller has priority
	Version  string
	Logger   *slog.Logger // logs failures to export spans
}

// Tracing records a span for every sampled request and sends it to a collector. The
// nil Tracing records nothing.
type Tracing struct {
	provider *trace.TracerProvider
	tracer   func(http.Handler) http.Handler
}

// NewTracing returns the tracing, or nil if there is no endpoint. It does not wait
// for the collector: if the collector is down, spans are lost but no request
// fails.
func NewTracing(ctx context.Context, o TraceOptions) (*Tracing, error) {
	if o.Endpoint == "" {
		return nil, nil
	}
	target, err := CollectorURL(o.Endpoint)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(target))
	if err != nil {
		return nil, fmt.Errorf("make the trace exporter: %w", err)
	}
	if o.Logger != nil {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
			o.Logger.Warn("could not export traces; they are dropped", "error", err)
		}))
	}
	return newTracing(exporter, o), nil
}

func newTracing(exporter trace.SpanExporter, o TraceOptions) *Tracing {
	provider := trace.NewTracerProvider(
		trace.WithBatcher(discreet{exporter}),
		trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(o.Ratio))),
		trace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "verdict"), attribute.String("service.version", o.Version))),
	)
	return &Tracing{
		provider: provider,
		tracer: otelhttp.NewMiddleware("request",
			otelhttp.WithTracerProvider(provider),
			otelhttp.WithMeterProvider(noop.NewMeterProvider()),
			otelhttp.WithPropagators(propagation.TraceContext{}),
			otelhttp.WithSpanNameFormatter(func(operation string, r *http.Request) string {
				if r.Pattern != "" {
					return r.Pattern
				}
				return operation
			})),
	}
}

// CollectorURL returns the URL for traces of a collector, whose address is for example
// http://localhost:4318. It adds the path /v1/traces if the address has no path.
func CollectorURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the address of a trace collector must look like http://localhost:4318")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

// Wrap returns a handler that traces its requests. If tracing is off, the handler
// only adds the caller's traceparent to the context, so that the logs contain the
// trace id.
func (t *Tracing) Wrap(next http.Handler) http.Handler {
	if t == nil {
		return remember(next)
	}
	return t.tracer(next)
}

func remember(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			r = r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

// Close exports the remaining spans.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// Annotate sets the route pattern, the caller and the request id on the span of a
// request. It leaves out empty values. If the context has no span that is recorded,
// it does nothing.
func Annotate(ctx context.Context, route, tenantID, environment, requestID string) {
	span := oteltrace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	if route != "" {
		span.SetName(route)
	}
	for _, a := range [...]attribute.KeyValue{
		attribute.String(attributeRoute, route), attribute.String(attributeTenant, tenantID),
		attribute.String(attributeEnvironment, environment), attribute.String(attributeRequest, requestID),
	} {
		if a.Value.AsString() != "" {
			span.SetAttributes(a)
		}
	}
}
