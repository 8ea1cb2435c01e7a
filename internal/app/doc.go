// Package app is the composition root: the configuration, the wiring of use cases to adapters, and the run and
// shutdown of the service. It contains no decision logic. Only commands, benchmarks and the harness import it.
//
// Its tests check the architecture: a table in deps_test.go says which package may import which packages.
package app
