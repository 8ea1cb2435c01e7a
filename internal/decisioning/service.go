package decisioning

import (
	"sync/atomic"

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
	core    *operation.Core
	desk    *policydesk.Service
	fraud   *frauddesk.Service
	lists   *listdesk.Service
	tables  *tabledesk.Service
	offers  *offerdesk.Service
	options Options

	gathered   gathered
	statistics statistics
	lastDay    atomic.Pointer[businessDay]

	allThresholds atomic.Bool // CheckThresholds has looked at all tenants
}

// New returns a Service over the database of core.
func New(
	core *operation.Core, desk *policydesk.Service, fraud *frauddesk.Service, lists *listdesk.Service,
	tables *tabledesk.Service, offers *offerdesk.Service, o Options,
) *Service {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPricePlans()
	}
	s := &Service{core: core, desk: desk, fraud: fraud, lists: lists, tables: tables, offers: offers, options: o}
	s.gathered.counts = map[gatheredKey]int64{}
	s.statistics.counts = map[statisticsKey]*statisticsCounts{}
	return s
}
