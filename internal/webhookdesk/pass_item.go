package webhookdesk

import (
	"context"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/webhook"
)

// settle waits until no event of an object is being delivered, and until one more delivery may begin. As long as
// nothing was delivered, there is only one delivery at a time, because a receiver that does not answer must not
// use up the slots of the tenant's other webhooks.
func (p *pass) settle(object string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.busy[object] || p.inFlight >= maxEach || p.delivered == 0 && p.inFlight > 0 {
		p.idle.Wait()
	}
}

// mustStop reports whether no further item may be sent in this pass.
func (p *pass) mustStop(begin context.Context, it *item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := len(p.retries) - len(p.done) + len(p.changed) + p.inFlight
	if it.origin != fromRetries && waiting >= maxRetries {
		p.full = true
		return true
	}
	failing := p.failed > p.delivered || p.refailed > p.delivered+p.tolerance()
	return begin.Err() != nil || failing || p.gone
}

// tolerance returns by how many the failed retries of a pass may exceed the delivered events. A receiver that was
// not failing before this pass may reject a few retries and accept other events.
func (p *pass) tolerance() int {
	if p.hook.Failures > 0 {
		return 0
	}
	return maxDeliveries
}

// postpone sets the progress of the pass so that the next pass begins with the items in rest, which were not sent.
func (p *pass) postpone(rest []item) {
	p.more = true
	inRange, inFeed := false, false
	for i := range rest {
		switch sequence := rest[i].event.Sequence; {
		case rest[i].origin == fromRange && !inRange:
			inRange, p.ranges[0].Next = true, sequence
		case rest[i].origin == fromFeed && !inFeed:
			inFeed, p.handled = true, sequence-1
		}
	}
}

// wait reports whether an item has to wait for an earlier event of its object. An item that has to wait becomes a
// retry, unless it already is a retry.
func (p *pass) wait(it *item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	object := it.event.Object
	if !p.blocked[object] && (it.origin == fromRetries || !p.behind[object]) {
		return false
	}
	if _, is := p.retry(it.event.Sequence); !is {
		p.changed[it.event.Sequence] = store.WebhookRetry{Sequence: it.event.Sequence, Object: object}
	}
	return true
}

// retry returns the retry of the event with a sequence number. The second result is false if the event is not a
// retry.
func (p *pass) retry(sequence int64) (r store.WebhookRetry, is bool) {
	if r, is = p.changed[sequence]; !is {
		r, is = p.retries[sequence]
	}
	return r, is
}

func (p *pass) started(it *item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight++
	p.busy[it.event.Object] = true
}

// deliver sends an item and records the result.
func (p *pass) deliver(ctx context.Context, it *item) {
	s, e := p.service, &it.event
	m := message{
		id:       e.ID,
		sequence: e.Sequence,
		kind:     e.Type,
		at:       e.At,
		object:   e.Object,
		body:     s.options.Encode(*e),
	}
	a := s.send(ctx, p.name.scope, &p.hook, m)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight--
	p.busy[m.object] = false
	p.idle.Broadcast()
	r, isRetry := p.retry(m.sequence)
	r.Sequence, r.Object = m.sequence, m.object
	if !a.delivered() && ctx.Err() != nil {
		// The service is stopping, so the attempt says nothing about the receiver. The next
		// node, or the next start, tries again.
		p.blocked[m.object] = true
		p.changed[m.sequence] = r
		return
	}
	r.Attempts++
	row := s.logged(m, a, r.Attempts)
	finished := a.delivered()
	if finished {
		p.delivered++
	} else {
		if isRetry {
			p.refailed++
		} else {
			p.failed++
		}
		p.gone = p.gone || a.status == statusGone
		p.blocked[m.object] = true
		if r.FirstMicros == 0 {
			r.FirstMicros = a.began.UnixMicro()
		}
		now := s.core.Now()
		r.NextMicros = now.Add(webhook.Pause(r.Attempts, s.options.Jitter())).UnixMicro()
		// Give the event up only if the receiver accepts others. If it does not, the webhook is
		// disabled, and nothing is lost when somebody enables it again.
		accepts := p.hook.Failures == 0 || p.delivered > 0
		if accepts && now.Sub(time.UnixMicro(r.FirstMicros)) >= webhook.RetryPeriod {
			row.Outcome, finished = GivenUp, true
		}
	}
	p.log = append(p.log, row)
	switch {
	case !finished:
		p.changed[m.sequence] = r
	case isRetry:
		p.done = append(p.done, m.sequence)
		delete(p.changed, m.sequence)
	}
}

// progress returns what the pass has done.
func (p *pass) progress() store.WebhookProgress {
	s, now := p.service, p.service.core.Now()
	out := store.WebhookProgress{
		Hook:       p.hook,
		Owner:      s.owner,
		Done:       p.done,
		Ranges:     p.ranges[:min(1, len(p.ranges))], // a pass sends events of the first range only
		Deliveries: p.log,
	}
	h := &out.Hook
	h.Handled, h.NextMicros = p.handled, now.UnixMicro()
	switch {
	case p.delivered > 0:
		h.Failures, h.FailingMicros = 0, 0
	case p.failed+p.refailed > 0:
		h.Failures++
		if h.FailingMicros == 0 {
			h.FailingMicros = now.UnixMicro()
		}
		h.NextMicros = now.Add(webhook.Pause(h.Failures, s.options.Jitter())).UnixMicro()
		p.more = false
	}
	for _, r := range p.changed {
		out.Retries = append(out.Retries, r)
	}
	h.WakeMicros = p.firstDue()
	if p.full {
		h.NextMicros, p.more = max(h.NextMicros, h.WakeMicros), false
	}
	failing := now.Sub(time.UnixMicro(h.FailingMicros)) >= webhook.RetryPeriod && h.Failures >= leastFailures
	switch {
	case p.gone:
		out.Disable = "the receiver answered with status 410, which means that it wants no more events"
	case h.FailingMicros != 0 && failing:
		out.Disable = "nothing could be delivered for three days"
	}
	if out.Disable != "" {
		p.more, out.NowMicros = false, now.UnixMicro()
		p.disabled = s.core.AuditBy(operation.ActorSystem, p.name.scope.Environment, now,
			operation.ActionWebhookDisabled, p.name.id, out.Disable)
	}
	return out
}

// firstDue returns when the next retry is due, or 0 if there is none. Only the first retry of each object counts,
// because the others wait for it.
func (p *pass) firstDue() (due int64) {
	left := map[int64]store.WebhookRetry{}
	for sequence, r := range p.retries {
		left[sequence] = r
	}
	for _, sequence := range p.done {
		delete(left, sequence)
	}
	for sequence, r := range p.changed {
		left[sequence] = r
	}
	first := map[string]store.WebhookRetry{}
	for _, r := range left {
		if f, is := first[r.Object]; !is || r.Sequence < f.Sequence {
			first[r.Object] = r
		}
	}
	for _, r := range first {
		if next := max(r.NextMicros, 1); due == 0 || next < due {
			due = next
		}
	}
	return due
}
