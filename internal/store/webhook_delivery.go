package store

import (
	"context"
	"slices"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The outcomes of an attempt to deliver an event.
const (
	OutcomeDelivered = "delivered"
	OutcomeFailed    = "failed"
	OutcomeGivenUp   = "given_up" // the attempt failed, and the event is not tried again
)

// WebhookDelivery is an attempt to deliver an event.
type WebhookDelivery struct {
	ID            string
	CreatedMicros int64
	Sequence      int64 // 0 for a test event
	EventID       string
	Type          string
	Attempt       int64 // 1 for the first
	Outcome       string
	Status        int64  // the status of the HTTP response, 0 if there was none
	Problem       string // why there was no response, "" otherwise
	TookMicros    int64
}

const deliveryColumns = `id, created_micros, sequence, event_id, type, attempt, outcome, status, problem, took_micros`

var webhookDeliveryTable = newBulkTable("webhook_deliveries",
	column{"webhook_id", text}, column{"id", text}, column{"created_micros", bigint}, column{"sequence", bigint},
	column{"event_id", text}, column{"type", text}, column{"attempt", bigint}, column{"outcome", text},
	column{"status", bigint}, column{"problem", text}, column{"took_micros", bigint})

// Deliveries returns a page of a webhook's attempts, and whether there are more. If failed
// is set, it leaves out those that succeeded.
func (w WebhookReader) Deliveries(id string, p Page, failed bool) ([]WebhookDelivery, bool, error) {
	return readTwo(w.access, func(tx *Tx) ([]WebhookDelivery, bool, error) {
		q := listOf("SELECT " + deliveryColumns + ` FROM webhook_deliveries WHERE tenant_id = $1 AND environment = $2`)
		q.where("webhook_id = ?", id)
		if failed {
			q.where("outcome <> 'delivered'")
		}
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (d WebhookDelivery, err error) {
			err = scan(&d.ID, &d.CreatedMicros, &d.Sequence, &d.EventID, &d.Type, &d.Attempt, &d.Outcome, &d.Status,
				&d.Problem, &d.TookMicros)
			return d, err
		})
	})
}

// AddDeliveries adds attempts to the log of a webhook.
func (w Webhooks) AddDeliveries(id string, deliveries []WebhookDelivery) error {
	rows := make([][]any, len(deliveries))
	for i, d := range deliveries {
		rows[i] = []any{id, d.ID, d.CreatedMicros, d.Sequence, d.EventID, d.Type, d.Attempt, d.Outcome, d.Status,
			d.Problem, d.TookMicros}
	}
	return webhookDeliveryTable.insert(w.tx, rows)
}

// WebhookProgress describes the work that a node has done for a webhook.
type WebhookProgress struct {
	Hook    Webhook // Handled, Failures, FailingMicros, NextMicros and WakeMicros have the values to store
	Owner   string  // the node, which must still have the lease
	Disable string  // why the webhook is disabled; "" if it is not
	// NowMicros is when the webhook is disabled.
	NowMicros int64

	Retries    []WebhookRetry // new or changed retries
	Done       []int64        // the sequence numbers of retries that are no longer needed
	Ranges     []WebhookRange // changed ranges; a range whose Next is beyond Last is deleted
	Deliveries []WebhookDelivery
}

var webhookRetryTable = newBulkTable("webhook_retries",
	column{"webhook_id", text}, column{"sequence", bigint}, column{"object", text}, column{"attempts", bigint},
	column{"first_micros", bigint}, column{"next_micros", bigint},
).withClause(`ON CONFLICT (tenant_id, environment, webhook_id, sequence) DO UPDATE SET attempts = excluded.attempts,
	first_micros = excluded.first_micros, next_micros = excluded.next_micros`)

// disabled returns the journal entry of a webhook that the service disables. No row refers to the entry, because the
// webhook may be enabled again or deleted later.
func (p *WebhookProgress) disabled() evidence.Record {
	failing := ""
	if p.Hook.FailingMicros != 0 {
		failing = evidence.At(p.Hook.FailingMicros)
	}
	return evidence.Record{
		Kind:   evidence.Webhook,
		ID:     p.Hook.ID,
		Micros: wholeMillis(p.NowMicros),
		Type:   "webhook.disabled",
		Data: eventData(func(w *wire.Writer) {
			w.Optional("failing_since", failing)
			w.Key("last_sequence").Int(p.Hook.Handled)
			w.Optional("reason", p.Disable)
			w.Optional("webhook_id", p.Hook.ID)
		}),
	}
}

// Progress stores the work that a node has done for a webhook. If it disables the webhook, it adds an entry to the
// journal. It returns false, and stores nothing, if the node has lost the lease, or if the webhook's settings were
// changed or the webhook was deleted in the meantime: the events are then sent again.
func (w Webhooks) Progress(p WebhookProgress) (bool, error) {
	state, reason := p.Hook.State, p.Hook.Reason
	if p.Disable != "" {
		state, reason = WebhookDisabled, p.Disable
	}
	stored, err := w.tx.exec(`UPDATE webhooks SET handled = $6, failures = $7, failing_micros = $8, next_micros = $9,
			wake_micros = $10, state = $11, reason = $12
		WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND lease_owner = $4 AND version = $5`,
		p.Hook.ID, p.Owner, p.Hook.Version, p.Hook.Handled, p.Hook.Failures, p.Hook.FailingMicros, p.Hook.NextMicros,
		p.Hook.WakeMicros, state, reason)
	if err != nil || stored == 0 {
		return false, err
	}
	if p.Disable != "" {
		if _, err := w.tx.record(p.disabled()); err != nil {
			return false, err
		}
	}
	for part := range slices.Chunk(p.Done, 100) {
		q := &query{args: []any{p.Hook.ID}}
		q.text.WriteString("DELETE FROM webhook_retries WHERE tenant_id = $1 AND environment = $2 AND webhook_id = $3")
		q.text.WriteString(" AND sequence IN (")
		for i, sequence := range part {
			if i > 0 {
				q.text.WriteString(", ")
			}
			q.add("?", sequence)
		}
		q.text.WriteString(")")
		if _, err := w.tx.exec(q.text.String(), q.args...); err != nil {
			return false, err
		}
	}
	rows := make([][]any, len(p.Retries))
	for i, r := range p.Retries {
		rows[i] = []any{p.Hook.ID, r.Sequence, r.Object, r.Attempts, r.FirstMicros, r.NextMicros}
	}
	if err := webhookRetryTable.insert(w.tx, rows); err != nil {
		return false, err
	}
	for _, r := range p.Ranges {
		const of = " WHERE tenant_id = $1 AND environment = $2 AND webhook_id = $3 AND id = $4"
		if r.Next > r.Last {
			_, err = w.tx.exec("DELETE FROM webhook_ranges"+of, p.Hook.ID, r.ID)
		} else {
			_, err = w.tx.exec("UPDATE webhook_ranges SET next = $5"+of, p.Hook.ID, r.ID, r.Next)
		}
		if err != nil {
			return false, err
		}
	}
	return true, w.AddDeliveries(p.Hook.ID, p.Deliveries)
}

// DueWebhook names a webhook for which there is something to send.
type DueWebhook struct {
	Scope       ScopeName
	ID          string
	Leased      bool // the node that asked has the lease of the tenant
	LeaseMicros int64
}

// DueWebhooks returns webhooks for which there is something to send, at most limit. Those that
// have waited longest come first. It leaves out those that another node has leased.
func (sys *System) DueWebhooks(
	ctx context.Context, owner string, nowMicros int64, limit int,
) (due []DueWebhook, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		due = nil
		return s.each(func(scan func(...any) error) error {
			var d DueWebhook
			var by string
			err := scan(&d.Scope.Tenant, &d.Scope.Environment, &d.ID, &by, &d.LeaseMicros)
			d.Leased = by == owner && d.LeaseMicros > nowMicros
			due = append(due, d)
			return err
		}, `SELECT w.tenant_id, w.environment, w.id, w.lease_owner, w.lease_micros FROM webhooks w
			WHERE w.state = 'enabled' AND w.next_micros <= $2 AND (w.lease_owner = $1 OR w.lease_micros <= $2)
				AND (w.wake_micros BETWEEN 1 AND $2
					OR w.handled < (SELECT j.first + j.count FROM journal j
						WHERE j.tenant_id = w.tenant_id AND j.environment = w.environment ORDER BY j.first DESC LIMIT 1)
					OR EXISTS (SELECT 1 FROM webhook_ranges r WHERE r.tenant_id = w.tenant_id
						AND r.environment = w.environment AND r.webhook_id = w.id))
			ORDER BY w.next_micros, w.tenant_id, w.environment, w.id LIMIT $3`, owner, nowMicros, int64(limit))
	})
	return due, err
}

// LeaseWebhooks leases the webhooks of a tenant, in both environments, to a node until a time. It returns false if
// another node has leased them.
func (sys *System) LeaseWebhooks(
	ctx context.Context, tenantID, owner string, nowMicros, untilMicros int64,
) (leased bool, err error) {
	err = sys.write(ctx, tenantID, func(s *transaction) error {
		leased = false
		if err := lockTenant(s, tenantID); err != nil {
			return err
		}
		var others int64
		if err := s.one([]any{&others}, `SELECT count(*) FROM webhooks
			WHERE tenant_id = $1 AND lease_owner <> $2 AND lease_micros > $3`, tenantID, owner, nowMicros); err != nil {
			return err
		}
		if others > 0 {
			return nil
		}
		leased = true
		_, err := s.exec("UPDATE webhooks SET lease_owner = $2, lease_micros = $3 WHERE tenant_id = $1",
			tenantID, owner, untilMicros)
		return err
	})
	return leased, err
}

// ReleaseWebhooks gives up all leases of a node.
func (sys *System) ReleaseWebhooks(ctx context.Context, owner string) error {
	return sys.write(ctx, "release webhooks", func(s *transaction) error {
		_, err := s.exec("UPDATE webhooks SET lease_micros = 0 WHERE lease_owner = $1", owner)
		return err
	})
}

// PurgeWebhookDeliveries removes at most limit attempts from before a time, of all
// tenants, and returns the number removed.
func (sys *System) PurgeWebhookDeliveries(
	ctx context.Context, beforeMicros int64, limit int,
) (removed int64, err error) {
	err = sys.write(ctx, "purge webhook deliveries", func(s *transaction) (err error) {
		removed, err = s.exec(`DELETE FROM webhook_deliveries
			WHERE (tenant_id, environment, webhook_id, created_micros, id) IN
			(SELECT tenant_id, environment, webhook_id, created_micros, id FROM webhook_deliveries
				WHERE created_micros < $1 LIMIT $2)`, beforeMicros, int64(limit))
		return err
	})
	return removed, err
}
