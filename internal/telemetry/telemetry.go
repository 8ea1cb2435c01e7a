// Package telemetry is what the service shows its operator: metrics for
// Prometheus, traces for an OpenTelemetry collector, and logs.
//
// It knows nothing of decisions or of HTTP routes: the wiring hands its methods
// to the packages that have something to tell. None of the three ever carries
// what an applicant or a client sent. A label is a route's pattern, a code of
// ours or the name of a rule; a span leaves the process with a short list of
// attributes and nothing else.
package telemetry
