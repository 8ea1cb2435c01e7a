package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// LogFormats are the forms a log can have.
var LogFormats = []string{"text", "json"}

// NewLogger makes a logger that writes from a level up, in one of LogFormats.
// A line that is written with the context of a request whose caller sent a
// traceparent, or that is traced here, carries its trace_id.
func NewLogger(w io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	switch format {
	case "json":
		return slog.New(traced{slog.NewJSONHandler(w, options)}), nil
	case "text":
		return slog.New(traced{slog.NewTextHandler(w, options)}), nil
	default:
		return nil, fmt.Errorf("a log is one of %v", LogFormats)
	}
}

// traced adds the trace to what is logged, so that a log line is found from a
// trace and a trace from a log line.
type traced struct{ slog.Handler }

// Handle writes a line with the trace of its context.
func (h traced) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps the trace in what is made of the handler.
func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }

// WithGroup keeps it as well.
func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
