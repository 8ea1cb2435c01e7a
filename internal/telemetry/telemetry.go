// Package telemetry provides metrics for Prometheus, traces for an OpenTelemetry
// collector, and logs.
//
// It does not depend on decisions or HTTP routes: package app passes the methods
// of Metrics and Tracing to the packages that report events. Metrics, traces and
// logs never contain data that an applicant or a client sent. A label is a route
// pattern, a stable code or the name of a rule; a span is exported with a short
// list of attributes only.
package telemetry
