// Package agent implements the underwriting agent and the collections agent. Each
// agent calls use cases in a fixed order and records a trace.
//
// The underwriting agent makes no decision. The engine makes the decision of a run, which is stored once, and says what
// it would decide for other values. The collections agent follows the strategy of the tenant. Apart from the text of a
// model, a run depends only on the facts, the policy or strategy, and the time. So a stored run can be repeated and
// compared.
//
// A language model may rewrite the summary of a memo and nothing else. It is sent no personal identifiers, and its text
// is rejected if the text contains a number or name that the model was not sent. If there is no model or it fails, the
// plain summary is used.
//
// These are the operations. Each first checks the permissions of the caller (Forbidden). In addition to the errors
// named here, each can return an error of storage.
//
//	Underwrite
//	    decides an application, studies the decision and stores both: the errors of decisioning.Underwrite
//	Collect
//	    recommends how to treat an overdue loan and stores the run: Invalid, quota_exceeded
//	Run
//	    returns a stored run: NotFound
package agent

import (
	"context"
	"errors"
	"log/slog"

	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/wire"
)

// Narrator rewrites a text. The text names fields, rules and amounts but no
// person. Narrate returns when ctx ends. The result is untrusted, so the caller
// must check it. After an error the caller uses the plain text.
type Narrator interface {
	Narrate(ctx context.Context, text string) (string, error)
}

// edition is the version of the agents that made a run. The edition is stored with the run, so that a repetition of
// the run uses the same version. A stored run without an edition was made by the first edition.
//
//   - The second edition ranks a loan in arrears by the amount at risk and warns of
//     doubtful units. Its memo adds the sections on bureau, income and strengths.
//   - The third edition suggests the known member for an unknown member of a case, and
//     masks personal identifiers in the details of reasons.
//   - The fourth edition also masks details by the field names that a caller chose. It
//     warns of members of "explore" that had no effect and of unknown products, and it
//     recognizes the other names of microfinance.
//   - The memo of the fifth edition has a section about the co-applicant and the guarantor,
//     which says whose bureau score counts.
type edition int64

const (
	firstEdition  edition = 1
	secondEdition edition = 2
	thirdEdition  edition = 3
	fourthEdition edition = 4
	fifthEdition  edition = 5
	// latestEdition is the edition that makes new runs.
	latestEdition = fifthEdition
)

// readEdition returns the edition of a stored request. It returns an error if the
// stored edition is not a positive whole number.
func readEdition(request wire.Value) (edition, error) {
	v := request.Get("edition")
	if !v.Given() {
		return firstEdition, nil
	}
	if v.Kind() == wire.Number {
		n, exact, ok := wire.ParseDecimal(v.Text(), 0)
		if exact && ok && n >= int64(firstEdition) {
			return edition(n), nil
		}
	}
	return 0, errors.New("the edition is not a positive whole number")
}

// Options configures a Service.
type Options struct {
	// Narrator rewrites the summaries of memos. If it is nil, the plain summaries
	// are used.
	Narrator Narrator
	// Logger logs the failures that a run survives. The default writes no logs.
	Logger *slog.Logger
}

// Service runs the agents. It is safe for concurrent use.
type Service struct {
	cases   *decisioning.Service
	desk    *agentdesk.Service
	options Options
}

// New returns a Service over the use cases.
func New(cases *decisioning.Service, desk *agentdesk.Service, o Options) *Service {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{cases: cases, desk: desk, options: o}
}
