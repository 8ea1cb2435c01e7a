// Package agent is the agents: plans of use-case calls with a recorded trace.
//
// An agent decides nothing. The decision in a run is the engine's, made and
// stored once; everything else is the same engine asked again with other
// values, and an account of what it said. So the same request, policy and day
// give the same run, and a stored run can be repeated and compared.
//
// A language model may at most rewrite the summary of a memo. It is given no
// identifiers, it is believed no number and no name that it was not given, and
// without it, or when it fails, the plain memo stands.
package agent

import (
	"context"

	"verdict/internal/decisioning"
)

// Narrator rewrites a text. The text names fields, rules and amounts and no
// person. It gives up when ctx ends, and what it returns is a stranger's word:
// the caller checks it. An error means that the plain text stands.
type Narrator interface {
	Narrate(ctx context.Context, text string) (string, error)
}

// Options are what a Service needs besides the use cases.
type Options struct {
	// Narrator is nil when nobody rewrites memos, which is the default.
	Narrator Narrator
}

// Service is the agents over the use cases. It is safe for concurrent use.
type Service struct {
	cases   *decisioning.Service
	options Options
}

// New makes the service.
func New(cases *decisioning.Service, o Options) *Service { return &Service{cases: cases, options: o} }
