// Package fsck has tests only: Tessera's fsck, a program of others that checks transparency logs, reads the log of a
// running service and must accept it, and must refuse every altered copy of it.
//
// It is a module of its own, so that neither the service nor the harness requires the modules of Tessera (ADR 21). It
// does not import the service: it builds the binary and speaks HTTP with it, as an examiner does.
package fsck
