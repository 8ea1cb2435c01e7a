package batchdesk

import (
	"time"

	"verdict/internal/admission"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Options configure a Service. A zero field takes its default.
type Options struct {
	Plans  tenant.PricePlans // default: tenant.DefaultPricePlans
	Limits Limits
	// ChunkQueue enqueues the chunks of batches. Without it, batches are refused.
	ChunkQueue operation.ChunkQueue
	// Processors shares processor time among tenants, so that a batch takes no more than its tenant's share. Without
	// it, nothing is shared.
	Processors *admission.Scheduler
}

// Limits are the limits of batches. A zero field takes its default.
type Limits struct {
	// Rows and Bytes limit one batch; by default 10 million rows and 8 GiB after decompression.
	Rows, Bytes int64
	// Unfinished is the maximum number of unfinished batches in an environment; by default 5.
	Unfinished int
	// ChunkRows and ChunkBytes are the sizes at which a chunk ends; by default 1,000 rows and 1 MiB.
	ChunkRows  int64
	ChunkBytes int
}

func (l *Limits) fill() {
	if l.Rows == 0 {
		l.Rows = 10_000_000
	}
	if l.Bytes == 0 {
		l.Bytes = 8 << 30
	}
	if l.Unfinished == 0 {
		l.Unfinished = 5
	}
	if l.ChunkRows == 0 {
		l.ChunkRows = 1_000
	}
	if l.ChunkBytes == 0 {
		l.ChunkBytes = 1 << 20
	}
}

const (
	// rowsAtOnce is the number of rows of a chunk that are decided at the same time. Decisions that wait for storage at
	// the same time are committed together.
	rowsAtOnce = 64
	// chunkTime is the time after which an attempt begins no further rows. It is less than the time after which a chunk
	// counts as abandoned, so that no other node runs a chunk that makes progress.
	chunkTime = 25 * time.Second
	// maxAge is the age of a batch after which none of its rows is decided any more. keepRows is how long the service
	// stores the record that a row was decided. keepRows is longer than maxAge, so no row is decided twice, however
	// late a chunk is tried and however long ago a worker on another node began with it.
	maxAge   = 6 * 24 * time.Hour
	keepRows = 8 * 24 * time.Hour
)

// Service offers the operations on batches. It is safe for concurrent use.
type Service struct {
	core      *operation.Core
	decisions *decisioning.Service
	options   Options
	resumed   resumed
}

// New returns a Service over the database of core.
func New(core *operation.Core, decisions *decisioning.Service, o Options) *Service {
	if len(o.Plans.Names()) == 0 {
		o.Plans = tenant.DefaultPricePlans()
	}
	o.Limits.fill()
	return &Service{core: core, decisions: decisions, options: o}
}

// Limits returns the limits of batches.
func (s *Service) Limits() Limits { return s.options.Limits }
