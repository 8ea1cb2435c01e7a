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

	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/wire"
)

// Narrator rewrites a text. The text names fields, rules and amounts and no
// person. It gives up when ctx ends, and what it returns is a stranger's word:
// the caller checks it. An error means that the plain text stands.
type Narrator interface {
	Narrate(ctx context.Context, text string) (string, error)
}

// edition is which edition of the agents a run is made by. It is stored with the
// run, so that a run is repeated by the edition that made it; a run without one
// is of the first. The second ranks a loan in arrears by what is at risk and
// doubts its units, and its memo has the bureau, income and strengths. The third
// names the members of a case that were probably meant by unknown ones, and masks
// what identifies somebody in the details of reasons. The fourth masks there by
// the names that a caller gives too, and warns of what of explore had no effect
// and of products that it does not know, and knows the other names of microfinance.
type edition int64

const (
	firstEdition  edition = 1
	secondEdition edition = 2
	thirdEdition  edition = 3
	fourthEdition edition = 4
	// latestEdition makes new runs.
	latestEdition = fourthEdition
)

// readEdition reads the edition of a stored request.
func readEdition(request wire.Value) edition {
	if v := request.Get("edition"); v.Given() {
		n, _, _ := wire.ParseDecimal(v.Text(), 0)
		return edition(n)
	}
	return firstEdition
}

// Options are what a Service needs besides the use cases.
type Options struct {
	// Narrator is nil when nobody rewrites memos, which is the default.
	Narrator Narrator
}

// Service is the agents over the use cases. It is safe for concurrent use.
type Service struct {
	cases   *decisioning.Service
	desk    *agentdesk.Service
	options Options
}

// New makes the service.
func New(cases *decisioning.Service, desk *agentdesk.Service, o Options) *Service {
	return &Service{cases: cases, desk: desk, options: o}
}
