package webhookdesk

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"verdict/internal/admission"
	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The outcomes of an attempt.
const (
	Delivered = store.OutcomeDelivered
	Failed    = store.OutcomeFailed
	GivenUp   = store.OutcomeGivenUp // it failed for three days and is not tried again
)

// Delivery is an attempt to deliver an event.
type Delivery struct {
	ID        string
	At        time.Time
	Sequence  int64 // 0 for a test event
	EventID   string
	EventType string
	Attempt   int64 // 1 for the first
	Outcome   string
	Status    int64  // the status of the response; 0 if there was none
	Problem   string // why there was no response; "" if there was one
	Took      time.Duration
}

func shownDelivery(d store.WebhookDelivery) Delivery {
	return Delivery{
		ID:        d.ID,
		At:        operation.Time(d.CreatedMicros),
		Sequence:  d.Sequence,
		EventID:   d.EventID,
		EventType: d.Type,
		Attempt:   d.Attempt,
		Outcome:   d.Outcome,
		Status:    d.Status,
		Problem:   d.Problem,
		Took:      time.Duration(d.TookMicros) * time.Microsecond,
	}
}

// Deliveries returns a page of the attempts to deliver events to a webhook. If failed is
// set, it leaves out those that succeeded.
func (s *Service) Deliveries(
	ctx context.Context, p tenant.Principal, id string, failed bool, l operation.List,
) (operation.Page[Delivery], error) {
	var none operation.Page[Delivery]
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return none, err
	}
	filters := []string{id, fmt.Sprint(failed)}
	page, err := l.Page(p, filters...)
	if err != nil {
		return none, err
	}
	var rows []Delivery
	var more bool
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		if _, err := tx.Webhooks().Get(id); err != nil {
			return err
		}
		stored, next, err := tx.Webhooks().Deliveries(id, page, failed)
		rows, more = make([]Delivery, len(stored)), next
		for i, d := range stored {
			rows[i] = shownDelivery(d)
		}
		return err
	})
	if err != nil {
		return none, err
	}
	last := func(d Delivery) (int64, string) { return operation.Micros(d.At), d.ID }
	return operation.Paged(l, p, rows, more, last, filters...), nil
}

// maxRanges is the number of redeliveries that a webhook may have at the same time.
const maxRanges = 100

// MaxRedelivered is the number of events that can be sent again with one request.
const MaxRedelivered = 10_000

// Redelivery is a range of events that are sent again, by their sequence numbers.
type Redelivery struct{ From, To int64 }

// Redeliver sends the events in a range of sequence numbers again, if their type is among the types of the
// webhook. It stores the range and returns; Run sends the events later. It returns Gone events_expired if the
// first of them is no longer kept.
func (s *Service) Redeliver(
	ctx context.Context, p tenant.Principal, id string, again Redelivery, reply *operation.Reply[Redelivery],
) error {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return err
	}
	from, to := again.From, again.To
	var faults fault.List
	c := faults.Check("")
	switch {
	case from < 1:
		c.Fail("from_sequence", fault.CodeOutOfRange, "must be at least 1")
	case to < from || to-from >= MaxRedelivered:
		c.Fail("to_sequence", fault.CodeOutOfRange,
			"must be at least from_sequence, and the range must have at most %d events", MaxRedelivered)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if err := s.checkKept(ctx, p, from); err != nil {
		return err
	}
	now := s.core.Now()
	rangeID, made := s.core.NewID(tenant.KindDelivery, now)
	audit := s.core.Audit(p, made, operation.ActionWebhookRedelivered, id, fmt.Sprintf("%d to %d", from, to))
	_, err := operation.Write(ctx, s.core, s.core.Scope(p), reply, func(tx *store.Tx) (none Redelivery, _ error) {
		if _, err := tx.Webhooks().Lock(id); err != nil { // so that nobody else adds a range after the count below
			return none, err
		}
		size, err := tx.Journal().Size()
		if err != nil {
			return none, err
		}
		if to > size {
			return none, operation.Invalid("/to_sequence", fault.CodeOutOfRange,
				fmt.Sprintf("must be at most %d, the number of the last event", size))
		}
		ranges, err := tx.Webhooks().Ranges(id)
		if err != nil {
			return none, err
		}
		if len(ranges) >= maxRanges {
			return none, fault.New(fault.Conflict, fault.CodeCapReached,
				"%d redeliveries of this webhook are not finished yet; wait for them", len(ranges))
		}
		if err := tx.Webhooks().AddRange(id, store.WebhookRange{ID: rangeID, Next: from, Last: to}); err != nil {
			return none, err
		}
		return again, tx.Audit().Add(audit)
	})
	if err == nil {
		s.Wake()
	}
	return err
}

// checkKept returns Gone events_expired if an event is no longer kept.
func (s *Service) checkKept(ctx context.Context, p tenant.Principal, sequence int64) error {
	p.Scopes |= tenant.Read // a caller who may manage webhooks may know which events are kept
	oldest, err := s.events.Oldest(ctx, p)
	if err == nil && sequence < oldest {
		return eventdesk.Expired("/from_sequence", oldest)
	}
	return err
}

// TypeTest is the type of a test event.
const TypeTest = "webhook.test"

// TestEvent is an event that only tests a webhook. It is not in the feed of events.
type TestEvent struct {
	ID        string
	WebhookID string
	At        string
}

// Test sends a test event to a webhook, whatever its state and types, and returns the
// result. The event is sent once.
func (s *Service) Test(
	ctx context.Context, p tenant.Principal, id string, reply *operation.Reply[Delivery],
) (Delivery, error) {
	if err := p.Require(tenant.WebhooksManage); err != nil {
		return Delivery{}, err
	}
	scope := s.core.Scope(p)
	return operation.WritePrepared(ctx, s.core, scope, reply, func() (func(*store.Tx) (Delivery, error), error) {
		row, err := s.sendTest(ctx, p, id)
		return func(tx *store.Tx) (Delivery, error) {
			return shownDelivery(row), tx.Webhooks().AddDeliveries(id, []store.WebhookDelivery{row})
		}, err
	})
}

// sendTest sends a test event and returns the attempt for the log.
func (s *Service) sendTest(ctx context.Context, p tenant.Principal, id string) (row store.WebhookDelivery, err error) {
	if s.options.Post == nil {
		return row, fault.New(fault.Unavailable, fault.CodeUnavailable, "this process sends no events")
	}
	hook, err := s.core.Scope(p).Webhooks(ctx).Get(id)
	if err != nil {
		return row, err
	}
	var random [16]byte
	if _, err := io.ReadFull(s.core.Random, random[:]); err != nil {
		return row, fmt.Errorf("name a test event: %w", err)
	}
	test := TestEvent{
		ID:        "evt_" + hex.EncodeToString(random[:]),
		WebhookID: id,
		At:        s.core.Moment().Format(operation.ClockFormat),
	}
	m := message{id: test.ID, kind: TypeTest, at: test.At, object: id, body: s.options.EncodeTest(test)}
	a, err := s.sendNow(ctx, scopeOf(p), &hook, m)
	if err != nil {
		return row, err
	}
	return s.logged(m, a, 1), nil
}

// sendNow sends a message within a request. It returns an error if the request ends first.
func (s *Service) sendNow(ctx context.Context, scope store.ScopeName, hook *store.Webhook, m message) (attempt, error) {
	slot := admission.SlotOf(ctx)
	slot.Away() // a slow receiver must not delay other requests
	defer slot.Back()
	slots, done := s.slots(scope.Tenant)
	defer done()
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return attempt{}, ctx.Err()
	}
	defer func() { <-slots }()
	a := s.send(ctx, scope, hook, m)
	return a, ctx.Err()
}

// logged returns the line of the log for an attempt.
func (s *Service) logged(m message, a attempt, number int64) store.WebhookDelivery {
	id, made := s.core.NewID(tenant.KindDelivery, a.began)
	d := store.WebhookDelivery{
		ID:            id,
		CreatedMicros: made.UnixMicro(),
		Sequence:      m.sequence,
		EventID:       m.id,
		Type:          m.kind,
		Attempt:       number,
		Outcome:       Failed,
		Status:        int64(a.status),
		Problem:       a.problem,
		TookMicros:    a.took.Microseconds(),
	}
	if a.delivered() {
		d.Outcome = Delivered
	}
	return d
}
