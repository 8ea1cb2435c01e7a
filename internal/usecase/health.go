package usecase

import (
	"context"
	"time"

	"verdict/internal/engine"
)

// Health is whether the service can do its work.
type Health struct {
	Ready          bool
	StorageLatency time.Duration
	EngineVersion  string
	Time           time.Time
}

// healthWait bounds how long a probe waits for the database.
const healthWait = 2 * time.Second

// Health asks the database for an answer, and whether it keeps what is written.
func (s *Set) Health(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	begin := s.core.Now()
	err := s.core.DB.Ping(ctx)
	if err != nil {
		s.core.Logger.WarnContext(ctx, "the database does not answer", "error", err)
	} else if err = s.core.DB.Writable(ctx); err != nil {
		s.core.Logger.WarnContext(ctx, "the database takes no writes", "error", err)
	}
	return Health{Ready: err == nil, StorageLatency: s.core.Now().Sub(begin), EngineVersion: engine.Version, Time: s.core.Moment()}
}
