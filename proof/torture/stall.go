package torture

import "time"

// stall notices that a figure has stopped changing. On a busy machine work may take long, so a check that waits for its
// end fails only if the work makes no progress.
type stall struct {
	figure int64
	since  time.Time // when the figure last changed
}

// lasts reports whether the figure has been the same for d.
func (s *stall) lasts(d time.Duration, figure int64) bool {
	if s.since.IsZero() || figure != s.figure {
		s.figure, s.since = figure, time.Now()
	}
	return time.Since(s.since) > d
}
