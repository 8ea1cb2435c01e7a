package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// LogFormats returns the formats of NewLogger.
func LogFormats() []string { return []string{"text", "json"} }

// NewLogger returns a logger that writes records of at least level, in one of
// LogFormats. A record has a trace_id if its context belongs to a request that is
// traced or that was sent with a traceparent.
func NewLogger(w io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	switch format {
	case "json":
		return slog.New(traced{slog.NewJSONHandler(w, options)}), nil
	case "text":
		return slog.New(traced{slog.NewTextHandler(w, options)}), nil
	default:
		return nil, fmt.Errorf("the log format must be one of %v", LogFormats())
	}
}

// traced adds the trace id to log records, so that log lines and traces can be
// matched.
type traced struct{ slog.Handler }

// Handle writes a record with the trace id of its context.
func (h traced) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
