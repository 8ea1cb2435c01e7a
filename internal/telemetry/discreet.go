package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
)

// The attributes that may leave the process.
const (
	attributeRoute       = "http.route"
	attributeMethod      = "http.request.method"
	attributeStatus      = "http.response.status_code"
	attributeTenant      = "verdict.tenant_id"
	attributeEnvironment = "verdict.environment"
	attributeRequest     = "verdict.request_id"
)

// discreet exports only the listed attributes of spans, and no events. The
// instrumentation also records paths, addresses and error texts, and a later
// version may record more. With a list of allowed attributes, new attributes are
// not exported.
type discreet struct{ trace.SpanExporter }

// ExportSpans exports the filtered spans.
func (d discreet) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	quiet := make([]trace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		quiet[i] = discreetSpan{s}
	}
	return d.SpanExporter.ExportSpans(ctx, quiet)
}

type discreetSpan struct{ trace.ReadOnlySpan }

// Attributes returns the allowed attributes.
func (s discreetSpan) Attributes() []attribute.KeyValue {
	var kept []attribute.KeyValue
	for _, a := range s.ReadOnlySpan.Attributes() {
		switch a.Key {
		case attributeRoute, attributeMethod, attributeStatus, attributeTenant, attributeEnvironment, attributeRequest:
			kept = append(kept, a)
		}
	}
	return kept
}

// Events returns no events, because their texts may contain any data.
func (discreetSpan) Events() []trace.Event { return nil }

// Status returns the code without the description, because the description is
// an error text.
func (s discreetSpan) Status() trace.Status {
	return trace.Status{Code: s.ReadOnlySpan.Status().Code}
}
