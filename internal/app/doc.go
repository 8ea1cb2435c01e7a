// Package app is the composition root: the configuration, the wiring of use
// cases to adapters, and the run and shutdown of the service. Nothing is
// decided here and nothing imports it but commands, the
// benchmarks and what runs the whole service under faults.
//
// Its tests guard the shape of the whole: deps_test.go is the one table of
// which package may import which.
package app
