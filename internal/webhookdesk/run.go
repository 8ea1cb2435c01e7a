package webhookdesk

import (
	"context"
	"errors"
	"maps"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
)

const (
	// pollEvery is the interval at which the service looks for webhooks that have something to send.
	pollEvery = time.Second
	// maxPasses is the number of webhooks for which a node sends at the same time.
	maxPasses = 256
	// leaseFor is how long a node leases the webhooks of a tenant, and renewBefore is how long before the
	// end it renews the lease. A pass takes less than renewBefore: passTime, one more delivery, and storing
	// the progress.
	leaseFor    = 30 * time.Second
	renewBefore = 20 * time.Second
	// passTime is the time after which a pass starts no new deliveries.
	passTime = 3 * time.Second
	// afterError is how long a node skips a webhook after an error of the database or of the
	// journal.
	afterError = 10 * time.Second
	// storeWithin limits how long storing the progress may take when the service stops.
	storeWithin = 5 * time.Second
	// maxHealthy limits how many healthy webhooks are remembered. Deleted webhooks may be among them.
	maxHealthy = 4_096
	// keepLog is how long attempts are kept in the log.
	keepLog = 30 * 24 * time.Hour
)

// Wake makes Run look immediately for something to send.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // Run is about to look anyway
	}
}

// Run sends events until ctx ends.
func (s *Service) Run(ctx context.Context) {
	if s.options.Post == nil {
		return
	}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	last := ""
	for {
		text := ""
		if err := s.begin(ctx); err != nil && ctx.Err() == nil {
			// The database may be unavailable for long: do not log the same line every second.
			if text = err.Error(); text != last {
				s.core.Logger.WarnContext(ctx, "could not read which webhooks have events to send; trying again",
					"error", err)
			}
		}
		last = text
		select {
		case <-poll.C:
		case <-s.wake:
		case <-ctx.Done():
			s.passes.Wait()
			s.release(ctx)
			return
		}
	}
}

// release gives up the leases, so that other nodes need not wait for their end.
func (s *Service) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer cancel()
	if err := s.core.DB.System().ReleaseWebhooks(ctx, s.owner); err != nil {
		s.core.Logger.WarnContext(ctx, "could not release the leases of webhooks; "+
			"other nodes send to them when the leases end", "error", err)
	}
}

// Deliver sends what is due, and returns when that is done. It is for tests; Run does the same continually.
func (s *Service) Deliver(ctx context.Context) error {
	err := s.begin(ctx)
	s.passes.Wait()
	return err
}

// begin starts a pass for each webhook that has something to send, unless a pass for that webhook is already
// running.
func (s *Service) begin(ctx context.Context) error {
	now := s.core.Now()
	due, err := s.core.DB.System().DueWebhooks(ctx, s.owner, now.UnixMicro(), maxPasses)
	if err != nil {
		return err
	}
	var failed error
	leased := map[string]bool{}
	for _, d := range due {
		name := hookName{d.Scope, d.ID}
		if !s.reserve(name) {
			continue
		}
		// A webhook that was created after the lease began is not part of it.
		if fresh := d.Leased && d.LeaseMicros > now.Add(renewBefore).UnixMicro(); !fresh {
			mine, known := leased[d.Scope.Tenant]
			if !known {
				mine, err = s.core.DB.System().LeaseWebhooks(ctx, d.Scope.Tenant, s.owner, now.UnixMicro(),
					now.Add(leaseFor).UnixMicro())
				leased[d.Scope.Tenant], failed = mine, errors.Join(failed, err)
			}
			if !mine {
				s.finish(name, time.Time{})
				continue
			}
		}
		s.passes.Go(func() {
			err := s.pass(ctx, name)
			if err == nil || ctx.Err() != nil {
				s.finish(name, time.Time{})
				return
			}
			s.finish(name, s.core.Now().Add(afterError))
			s.core.Logger.WarnContext(ctx, "could not load the events of a webhook or store its progress; "+
				"trying again later", "tenant_id", name.scope.Tenant, "environment", name.scope.Environment,
				"webhook_id", name.id, "error", err)
		})
	}
	return failed
}

// reserve reports whether a pass for a webhook may begin, and if so counts it as running.
func (s *Service) reserve(name hookName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[name] || len(s.running) >= maxPasses || s.core.Now().Before(s.resting[name]) {
		return false
	}
	delete(s.resting, name)
	s.running[name] = true
	return true
}

// finish notes that a pass has ended. If rest is not zero, the next pass does not begin before that time.
func (s *Service) finish(name hookName, rest time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, name)
	if rest.IsZero() {
		return
	}
	// Remove the rests that are over, because a webhook that was deleted is never reserved again.
	now := s.core.Now()
	maps.DeleteFunc(s.resting, func(_ hookName, until time.Time) bool { return !now.Before(until) })
	s.resting[name] = rest
}

// limit returns how many events the next pass of a webhook reads.
func (s *Service) limit(name hookName) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.healthy[name] {
		return maxBatch
	}
	return firstBatch
}

// note records whether a webhook is healthy: its last pass delivered something, or had nothing to deliver.
func (s *Service) note(name hookName, healthy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !healthy {
		delete(s.healthy, name)
		return
	}
	if len(s.healthy) >= maxHealthy && !s.healthy[name] {
		clear(s.healthy) // the next pass of each webhook then reads few events
	}
	s.healthy[name] = true
}

// Purge removes old attempts from the log.
func (s *Service) Purge(ctx context.Context) {
	before := s.core.Now().Add(-keepLog).UnixMicro()
	s.core.PurgeAll(ctx, "webhook deliveries", func(limit int) (int64, error) {
		return s.core.DB.System().PurgeWebhookDeliveries(ctx, before, limit)
	})
}

// pass sends events to a webhook for a while and stores the progress.
func (s *Service) pass(ctx context.Context, name hookName) error {
	scope := s.core.DB.Scope(name.scope.Tenant, name.scope.Environment)
	p := &pass{service: s, name: name, scope: scope, now: s.core.Now(), limit: s.limit(name)}
	defer func() { s.note(name, p.delivered > 0 || p.failed+p.refailed == 0) }()
	slots, done := s.slots(name.scope.Tenant)
	defer done()
	p.slots = slots
	if err := p.load(ctx); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return nil // the webhook was deleted
		}
		return err
	}
	p.run(ctx)
	// Store the progress of the deliveries even if the service is stopping.
	stored, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer cancel()
	progress := p.progress()
	err := scope.Write(stored, func(tx *store.Tx) error {
		kept, err := tx.Webhooks().Progress(progress)
		if err != nil || !kept || progress.Disable == "" {
			return err
		}
		return tx.Audit().Add(p.disabled)
	})
	if p.more {
		s.Wake()
	}
	return err
}
