package decisioning

import (
	"sync/atomic"

	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
)

// Options are what a Service needs besides the rooms below it.
type Options struct {
	// Encode appends what a decision answers to dst. The bytes are stored, and sent
	// to whoever asked.
	Encode func(dst []byte, o *Outcome) []byte
	// AddFacts returns an encoded decision with the facts that it was decided on.
	AddFacts func(answer []byte, facts *rule.Facts) []byte
	// Decode reads an encoded decision.
	Decode func(answer []byte) (Answered, error)
	// Decided is told what was decided, for metrics. It must not block; nil is left
	// out.
	Decided func(status string)
}

// Service is the operations on decisions. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	desk    *policydesk.Service
	fraud   *frauddesk.Service
	options Options

	gathered gathered
	lastDay  atomic.Pointer[businessDay]
}

// New makes the room.
func New(core *operation.Core, desk *policydesk.Service, fraud *frauddesk.Service, o Options) *Service {
	s := &Service{core: core, desk: desk, fraud: fraud, options: o}
	s.gathered.counts = map[gatheredKey]int64{}
	return s
}
