package decisioning

import (
	"verdict/internal/frauddesk"
	"verdict/internal/listdesk"
	"verdict/internal/offerdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
)

// Options configure a Service.
type Options struct {
	// Encode appends the answer of a decision to dst. The bytes are stored and sent to
	// the client.
	Encode func(dst []byte, o *Outcome) []byte
	// AddFacts returns the encoded decision answer with the facts of the decision
	// added.
	AddFacts func(answer []byte, facts *rule.Facts) []byte
	// Decode reads an encoded decision.
	Decode func(answer []byte) (Answered, error)
	// Decided, unless nil, is called with the status of each stored decision, for
	// metrics. It must not block, because the request waits for it.
	Decided func(status string)
	// Plans are the price plans with their quotas. Default: tenant.DefaultPricePlans.
	Plans tenant.PricePlans
}

// Service offers the operations on decisions. It is safe for concurrent use.
type Service struct {
	Reviews    *ReviewDesk      // reviews, and the decisions that wait for one
	Usage      *UsageMeter      // usage and quotas
	Statistics *DecisionCounter // the numbers of decisions and requests
	Audit      *Auditor         // the comparison with the journal

	core    *operation.Core
	desk    *policydesk.Service
	fraud   *frauddesk.Service
	lists   *listdesk.Service
	tables  *tabledesk.Service
	offers  *offerdesk.Service
	options Options
}

// New returns a Service over the database of core.
func New(
	core *operation.Core, desk *policydesk.Service, fraud *frauddesk.Service, lists *listdesk.Service,
	tables *tabledesk.Service, offers *offerdesk.Service, o Options,
) *Service {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPricePlans()
	}
	return &Service{
		Reviews:    &ReviewDesk{core: core, decode: o.Decode},
		Usage:      newUsageMeter(core, o.Plans),
		Statistics: &DecisionCounter{core: core, counts: map[statisticsKey]*statisticsCounts{}},
		Audit:      &Auditor{core: core, desk: desk, decode: o.Decode},
		core:       core,
		desk:       desk,
		fraud:      fraud,
		lists:      lists,
		tables:     tables,
		offers:     offers,
		options:    o,
	}
}
