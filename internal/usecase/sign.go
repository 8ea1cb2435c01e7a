package usecase

import (
	"context"
	"time"
)

const (
	signEvery    = time.Second // the interval at which logs that have grown are signed
	signAllEvery = time.Minute // the interval at which this node looks for logs that other nodes left unsigned
)

// sign signs the logs until ctx ends, and then once more.
func (s *Set) sign(ctx context.Context) {
	last := ""
	report := func(err error) {
		// The database may be unavailable for long: do not log the same line every second.
		text := ""
		if err != nil && ctx.Err() == nil {
			if text = err.Error(); text != last {
				s.core.Logger.WarnContext(ctx, "could not sign the logs of some tenants; trying again", "error", err)
			}
		}
		last = text
	}
	report(s.Evidence.Resume(ctx))
	grown := time.NewTicker(signEvery)
	defer grown.Stop()
	all := time.NewTicker(signAllEvery)
	defer all.Stop()
	for {
		select {
		case <-grown.C:
			report(s.Evidence.Sign(ctx))
		case <-all.C:
			report(s.Evidence.SignAll(ctx))
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			report(s.Evidence.Sign(end))
			return
		}
	}
}
