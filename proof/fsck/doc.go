// Package fsck contains only tests. Tessera's fsck, an independent program that checks transparency logs, reads the
// log of a running service. It must accept the log, and must refuse every altered copy of it.
//
// The package is a module of its own, so that the service and the harness do not require the modules of Tessera
// (ADR 21). It does not import the service: it builds the binary and speaks HTTP with it, as an examiner does.
package fsck
