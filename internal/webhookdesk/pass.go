package webhookdesk

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

const (
	// maxBatch is the maximum number of events that a pass reads from the feed.
	maxBatch = 500
	// firstBatch replaces maxBatch in the first pass, and after a pass that failed. A receiver that does not
	// answer gets one event in a pass, so reading more for it would only slow the service down.
	firstBatch = 20
	// maxRetries is the number of events that may wait to be sent again. If there are more,
	// the webhook sends no new events.
	maxRetries = 500
	// maxAgain is the maximum number of retries that a pass sends.
	maxAgain = 100
	// leastFailures is the number of failed attempts without a success before a webhook is disabled. A service that
	// was stopped for days has made fewer attempts, so it does not disable the webhook.
	leastFailures = 10
)

// pass is one round of a node's work for a webhook. First it reads what is due: retries,
// events to be sent again, and new events. Then it sends them, in order. Last, its progress is
// stored.
type pass struct {
	service *Service
	name    hookName
	scope   *store.Scope
	slots   chan struct{}
	now     time.Time
	limit   int // how many events it reads from the feed

	hook    store.Webhook
	retries map[int64]store.WebhookRetry // by sequence number
	ranges  []store.WebhookRange
	items   []item
	handled int64 // the value of Handled if all items are sent
	more    bool  // there is more to send immediately
	full    bool  // there are maxRetries retries

	mu        sync.Mutex
	idle      *sync.Cond      // a delivery has ended
	busy      map[string]bool // objects of which an event is being delivered
	blocked   map[string]bool // objects of which an event has failed
	behind    map[string]bool // objects whose retries come after the other items
	delivered int
	failed    int  // first attempts that failed
	refailed  int  // retries that failed again
	gone      bool // the receiver wants no more events
	inFlight  int
	changed   map[int64]store.WebhookRetry
	done      []int64
	log       []store.WebhookDelivery
	disabled  store.AuditEntry
}

// origin says why an event is sent.
type origin int

const (
	fromRetries origin = iota
	fromRange
	fromFeed
)

// item is an event to be sent. If skip is set, its type is not among the types of the webhook.
type item struct {
	event  eventdesk.Event
	origin origin
	within int // the index of its range
	skip   bool
}

// load reads the webhook and what is due.
func (p *pass) load(ctx context.Context) error {
	p.idle = sync.NewCond(&p.mu)
	p.busy, p.blocked, p.behind = map[string]bool{}, map[string]bool{}, map[string]bool{}
	p.changed, p.retries = map[int64]store.WebhookRetry{}, map[int64]store.WebhookRetry{}
	var retries []store.WebhookRetry
	err := p.scope.Read(ctx, func(tx *store.Tx) (err error) {
		if p.hook, err = tx.Webhooks().Get(p.name.id); err != nil {
			return err
		}
		if retries, err = tx.Webhooks().Retries(p.name.id); err != nil {
			return err
		}
		p.ranges, err = tx.Webhooks().Ranges(p.name.id)
		return err
	})
	if err != nil {
		return err
	}
	p.handled = p.hook.Handled
	if p.hook.State != Enabled {
		return nil
	}
	if err := p.loadRetries(ctx, retries); err != nil {
		return err
	}
	again := p.items
	if p.hook.Failures > 0 {
		// The receiver is failing, or there is only one event that it does not accept. Try other
		// events first to find out.
		p.items = nil
		for _, it := range again {
			p.behind[it.event.Object] = true
		}
	}
	if err := p.loadRanges(ctx); err != nil {
		return err
	}
	if err := p.loadNew(ctx); err != nil {
		return err
	}
	if p.hook.Failures > 0 {
		p.items = append(p.items, again...)
	}
	return nil
}

// loadRetries adds the retries of those objects whose first retry is due.
func (p *pass) loadRetries(ctx context.Context, retries []store.WebhookRetry) error {
	first := map[string]bool{}
	for _, r := range retries {
		p.retries[r.Sequence] = r
		if !first[r.Object] {
			first[r.Object] = true
			p.blocked[r.Object] = r.NextMicros > p.now.UnixMicro()
		}
		if p.blocked[r.Object] {
			continue
		}
		if len(p.items) >= min(maxAgain, p.limit) {
			p.behind[r.Object], p.more = true, true
			continue
		}
		feed, err := p.feed(ctx, r.Sequence-1, 1)
		if err != nil {
			return err
		}
		if len(feed.Events) == 0 || feed.Events[0].Sequence != r.Sequence {
			p.done = append(p.done, r.Sequence) // the event no longer exists
			continue
		}
		p.items = append(p.items, item{event: feed.Events[0], origin: fromRetries})
	}
	return nil
}

// loadRanges adds events of the first requested redelivery.
func (p *pass) loadRanges(ctx context.Context) error {
	if len(p.ranges) == 0 {
		return nil
	}
	r := &p.ranges[0]
	feed, err := p.feed(ctx, r.Next-1, p.limit)
	if err != nil {
		return err
	}
	for _, e := range feed.Events {
		if e.Sequence <= r.Last {
			p.items = append(p.items, item{event: e, origin: fromRange, skip: !p.wants(e.Type)})
		}
	}
	if !feed.More || feed.Last >= r.Last {
		r.Next = r.Last + 1
	} else {
		r.Next = feed.Last + 1
	}
	p.more = true
	return nil
}

// loadNew adds events that were not handled yet.
func (p *pass) loadNew(ctx context.Context) error {
	feed, err := p.feed(ctx, p.hook.Handled, p.limit)
	if err != nil {
		return err
	}
	if feed.Expired > 0 {
		p.service.core.Logger.WarnContext(ctx, "skipped events that a webhook had not received, because they are too "+
			"old; it continues with the oldest event that is still kept", "tenant_id", p.name.scope.Tenant,
			"environment", p.name.scope.Environment, "webhook_id", p.name.id, "skipped", feed.Expired)
	}
	for _, e := range feed.Events {
		p.items = append(p.items, item{event: e, origin: fromFeed, skip: !p.wants(e.Type)})
	}
	p.handled = feed.Last
	p.more = p.more || feed.More
	return nil
}

// feed returns the events after a sequence number, without those that are no longer kept. If a webhook was disabled
// or paused for longer than events are kept, it continues with the oldest event that is kept.
func (p *pass) feed(ctx context.Context, after int64, limit int) (eventdesk.Feed, error) {
	return p.service.events.KeptEvents(ctx, tenant.Principal{
		TenantID:    p.name.scope.Tenant,
		Environment: tenant.Environment(p.name.scope.Environment),
		Scopes:      tenant.Read,
	}, after, limit)
}

// wants reports whether a type of events is to be sent.
func (p *pass) wants(kind string) bool {
	types := strings.Fields(p.hook.Types)
	return len(types) == 0 || slices.Contains(types, kind)
}

// run sends the items in order. It stops early if the receiver fails, if passTime is over,
// or if ctx ends. It returns when no delivery is in progress.
func (p *pass) run(ctx context.Context) {
	begin, cancel := context.WithTimeout(ctx, passTime)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	for i := range p.items {
		it := &p.items[i]
		if it.skip {
			continue
		}
		p.settle(it.event.Object)
		if p.mustStop(begin, it) {
			p.postpone(p.items[i:])
			break
		}
		if p.wait(it) {
			continue
		}
		select {
		case p.slots <- struct{}{}:
		case <-begin.Done():
			p.postpone(p.items[i:])
			return
		}
		if p.mustStop(begin, it) { // other items may have failed while this item waited
			<-p.slots
			p.postpone(p.items[i:])
			return
		}
		p.started(it)
		all.Go(func() {
			defer func() { <-p.slots }()
			p.deliver(ctx, it)
		})
	}
}
