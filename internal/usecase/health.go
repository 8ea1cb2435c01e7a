package usecase

import (
	"context"
	"time"

	"verdict/internal/engine"
)

// Health says whether the service is ready.
type Health struct {
	Ready          bool
	KeyLost        bool // the master key was replaced, and this node does not have the new one
	StorageLatency time.Duration
	EngineVersion  string
	Time           time.Time
}

// healthWait limits how long a health check waits for the database.
const healthWait = 2 * time.Second

// Health checks whether the database answers and accepts writes, and whether this node has the
// master key.
func (s *Set) Health(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	begin := s.core.Now()
	err := s.core.DB.Ping(ctx)
	if err != nil {
		s.core.Logger.WarnContext(ctx, "the database does not answer; this node is not ready", "error", err)
	} else if err = s.core.DB.Writable(ctx); err != nil {
		s.core.Logger.WarnContext(ctx, "the database does not accept writes; this node is not ready", "error", err)
	}
	lost := s.core.Keys.Lost()
	return Health{
		Ready:          err == nil && lost == nil,
		KeyLost:        lost != nil,
		StorageLatency: s.core.Now().Sub(begin),
		EngineVersion:  engine.Version,
		Time:           s.core.Moment(),
	}
}
