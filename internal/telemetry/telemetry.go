// Package telemetry provides metrics for Prometheus, traces for an OpenTelemetry
// collector, and logs.
//
// It does not depend on decisions or HTTP routes: package app passes the methods of Metrics and Tracing to the packages
// that report events. Metrics and traces contain no data of applicants. The labels of a metric are route patterns,
// methods, statuses, stable codes, ids of tenants, environments, the names of policies and rules, results of rules, and
// versions of the program. A span is exported with a short list of attributes only.
package telemetry
