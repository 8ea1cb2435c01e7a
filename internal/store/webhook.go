package store

import (
	"context"

	"verdict/internal/fault"
)

// The states of a webhook.
const (
	WebhookEnabled  = "enabled"
	WebhookPaused   = "paused"
	WebhookDisabled = "disabled"
)

// Webhook is an address to which the events of a scope are sent (ADR 24).
type Webhook struct {
	ID          string
	URL         string
	Types       string // the types of events that are sent, separated by spaces; "" for all
	Description string
	State       string
	Reason      string // why the webhook is paused or disabled, "" if a person paused it

	Secret              string
	PreviousSecret      string // "" if there is none
	PreviousUntilMicros int64

	CreatedMicros int64
	Version       int64 // raised when one of the settings above changes

	Handled       int64 // every event up to this sequence number was sent, skipped or moved to the retries
	Failures      int64 // how often sending failed since the last success
	FailingMicros int64 // the time of the first of these failures
	NextMicros    int64 // nothing is sent before this time
	WakeMicros    int64 // when the next retry is due, 0 if there is none
}

const webhookColumns = `id, url, types, description, state, reason, secret, previous_secret, previous_until_micros,
	created_micros, version, handled, failures, failing_micros, next_micros, wake_micros`

func (w *Webhook) fields() []any {
	return []any{&w.ID, &w.URL, &w.Types, &w.Description, &w.State, &w.Reason, &w.Secret, &w.PreviousSecret,
		&w.PreviousUntilMicros, &w.CreatedMicros, &w.Version, &w.Handled, &w.Failures, &w.FailingMicros,
		&w.NextMicros, &w.WakeMicros}
}

// WebhookRetry is an event that could not be delivered yet, or that waits for an earlier
// event of the same object.
type WebhookRetry struct {
	Sequence    int64
	Object      string
	Attempts    int64
	FirstMicros int64 // when it was first attempted, 0 if it was not
	NextMicros  int64 // when to try again
}

// WebhookRange is a range of events that are to be sent again.
type WebhookRange struct {
	ID         string
	Next, Last int64 // the sequence numbers of the next event to send and of the last event
}

// WebhookReader reads webhooks.
type WebhookReader struct{ access }

// Webhooks reads like WebhookReader, and changes webhooks.
type Webhooks struct{ WebhookReader }

// Webhooks returns the WebhookReader of the scope.
func (s *Scope) Webhooks(ctx context.Context) WebhookReader { return WebhookReader{s.access(ctx)} }

// Webhooks returns the Webhooks of the transaction.
func (tx *Tx) Webhooks() Webhooks { return Webhooks{WebhookReader{tx.access()}} }

// Get returns a webhook, NotFound if there is none with this id.
func (w WebhookReader) Get(id string) (Webhook, error) {
	return read(w.access, func(tx *Tx) (Webhook, error) { return selectWebhook(tx, id, "") })
}

// Lock returns a webhook like Get, and locks it until the transaction ends.
func (w Webhooks) Lock(id string) (Webhook, error) {
	return selectWebhook(w.tx, id, w.tx.transaction.db.dialect.forUpdate)
}

// selectWebhook reads a webhook. clause is appended to the SELECT, for example to lock the row.
func selectWebhook(tx *Tx, id, clause string) (hook Webhook, err error) {
	err = tx.one(hook.fields(), "SELECT "+webhookColumns+
		" FROM webhooks WHERE tenant_id = $1 AND environment = $2 AND id = $3"+clause, id)
	return hook, orNotFound("webhook", err)
}

// List returns the webhooks of the scope, oldest first.
func (w WebhookReader) List() ([]Webhook, error) {
	return read(w.access, func(tx *Tx) (hooks []Webhook, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var hook Webhook
			err := scan(hook.fields()...)
			hooks = append(hooks, hook)
			return err
		}, "SELECT "+webhookColumns+` FROM webhooks WHERE tenant_id = $1 AND environment = $2
			ORDER BY created_micros, id`)
		return hooks, err
	})
}

// Retries returns the events of a webhook that wait to be sent again, in order.
func (w WebhookReader) Retries(id string) ([]WebhookRetry, error) {
	return read(w.access, func(tx *Tx) (retries []WebhookRetry, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var r WebhookRetry
			err := scan(&r.Sequence, &r.Object, &r.Attempts, &r.FirstMicros, &r.NextMicros)
			retries = append(retries, r)
			return err
		}, `SELECT sequence, object, attempts, first_micros, next_micros FROM webhook_retries
			WHERE tenant_id = $1 AND environment = $2 AND webhook_id = $3 ORDER BY sequence`, id)
		return retries, err
	})
}

// CountRetries returns how many events of each webhook of the scope wait to be sent again.
func (w WebhookReader) CountRetries() (map[string]int64, error) {
	return read(w.access, func(tx *Tx) (map[string]int64, error) {
		counts := map[string]int64{}
		err := tx.each(func(scan func(...any) error) error {
			var id string
			var n int64
			err := scan(&id, &n)
			counts[id] = n
			return err
		}, `SELECT webhook_id, count(*) FROM webhook_retries WHERE tenant_id = $1 AND environment = $2
			GROUP BY webhook_id`)
		return counts, err
	})
}

// Ranges returns the ranges of events of a webhook that are to be sent again, oldest
// first.
func (w WebhookReader) Ranges(id string) ([]WebhookRange, error) {
	return read(w.access, func(tx *Tx) (ranges []WebhookRange, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var r WebhookRange
			err := scan(&r.ID, &r.Next, &r.Last)
			ranges = append(ranges, r)
			return err
		}, `SELECT id, next, last FROM webhook_ranges
			WHERE tenant_id = $1 AND environment = $2 AND webhook_id = $3 ORDER BY id`, id)
		return ranges, err
	})
}

// AddRange adds a range of events that are to be sent again.
func (w Webhooks) AddRange(id string, r WebhookRange) error {
	_, err := w.tx.exec(`INSERT INTO webhook_ranges (tenant_id, environment, webhook_id, id, next, last)
		VALUES ($1, $2, $3, $4, $5, $6)`, id, r.ID, r.Next, r.Last)
	return err
}

// Change stores the settings of a webhook and raises its version. If restart is set, the
// webhook also forgets its failures: all its retries are due and count as not attempted.
func (w Webhooks) Change(hook Webhook, restart bool) error {
	changed, err := w.tx.exec(`UPDATE webhooks SET url = $4, types = $5, description = $6, state = $7, reason = $8,
			secret = $9, previous_secret = $10, previous_until_micros = $11, version = version + 1
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
		hook.ID, hook.URL, hook.Types, hook.Description, hook.State, hook.Reason,
		hook.Secret, hook.PreviousSecret, hook.PreviousUntilMicros)
	switch {
	case err != nil:
		return err
	case changed == 0:
		return fault.Missing("webhook")
	case !restart:
		return nil
	}
	if _, err := w.tx.exec(`UPDATE webhooks SET failures = 0, failing_micros = 0, next_micros = 0, wake_micros = 1
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, hook.ID); err != nil {
		return err
	}
	_, err = w.tx.exec(`UPDATE webhook_retries SET attempts = 0, first_micros = 0, next_micros = 0
		WHERE tenant_id = $1 AND environment = $2 AND webhook_id = $3`, hook.ID)
	return err
}

// SealSecrets replaces the readable secrets of a webhook by their ciphertexts.
func (w Webhooks) SealSecrets(hook Webhook) error {
	_, err := w.tx.exec(`UPDATE webhooks SET secret = $4, previous_secret = $5
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, hook.ID, hook.Secret, hook.PreviousSecret)
	return err
}

// WebhookName names a webhook of a scope.
type WebhookName struct {
	Scope ScopeName
	ID    string
}

// WebhooksToSeal returns at most limit webhooks that have a readable secret, in the order of tenants, environments
// and ids. Parameter "after" is the last webhook of the previous call, and the zero value for the first call.
func (sys *System) WebhooksToSeal(ctx context.Context, after WebhookName, limit int) (found []WebhookName, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		found = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var w WebhookName
			err := scan(&w.Scope.Tenant, &w.Scope.Environment, &w.ID)
			found = append(found, w)
			return err
		}, `SELECT tenant_id, environment, id FROM webhooks
			WHERE (secret LIKE 'whsec\_%' ESCAPE '\' OR previous_secret LIKE 'whsec\_%' ESCAPE '\')
			AND (tenant_id, environment, id) > ($1, $2, $3) ORDER BY tenant_id, environment, id LIMIT $4`,
			after.Scope.Tenant, after.Scope.Environment, after.ID, int64(limit))
	})
	return found, err
}

// Delete deletes a webhook and its events that wait to be sent. It returns NotFound if there is no such webhook. The
// log of the webhook stays until it is purged, because deleting the log could take long.
func (w Webhooks) Delete(id string) error {
	deleted, err := w.tx.exec("DELETE FROM webhooks WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	if err != nil {
		return err
	}
	if deleted == 0 {
		return fault.Missing("webhook")
	}
	for _, table := range []string{"webhook_retries", "webhook_ranges"} {
		if _, err := w.tx.exec("DELETE FROM "+table+
			" WHERE tenant_id = $1 AND environment = $2 AND webhook_id = $3", id); err != nil {
			return err
		}
	}
	return nil
}

// InsertWebhook adds a webhook to a scope. If hook.Handled is negative, the webhook begins with the next event of
// the scope. InsertWebhook returns Conflict cap_reached if the tenant already has the maximum number of webhooks.
// Parameter "most" is this maximum, for both environments together. Parameter "also" is a function that gets the
// stored webhook and makes further changes of the scope in the same transaction. The transaction may run more than
// once.
func (sys *System) InsertWebhook(
	ctx context.Context, scope ScopeName, hook Webhook, most int, also func(*Tx, Webhook) error,
) error {
	return sys.write(ctx, scope.Tenant, func(s *transaction) error {
		stored := hook
		if err := lockTenant(s, scope.Tenant); err != nil {
			return err
		}
		var used int64
		if err := s.one([]any{&used}, "SELECT count(*) FROM webhooks WHERE tenant_id = $1", scope.Tenant); err != nil {
			return err
		}
		if used >= int64(most) {
			return fault.New(fault.Conflict, fault.CodeCapReached,
				"there are %d webhooks in both environments, the maximum; delete one first", used)
		}
		tx := s.within(scope.Tenant, scope.Environment)
		if stored.Handled < 0 {
			var err error
			if stored.Handled, err = tx.Journal().Size(); err != nil {
				return err
			}
		}
		if _, err := tx.exec(`INSERT INTO webhooks
			(tenant_id, environment, `+webhookColumns+`, lease_owner, lease_micros)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, '', 0)`,
			stored.ID, stored.URL, stored.Types, stored.Description, stored.State, stored.Reason, stored.Secret,
			stored.PreviousSecret, stored.PreviousUntilMicros, stored.CreatedMicros, stored.Version, stored.Handled,
			stored.Failures, stored.FailingMicros, stored.NextMicros, stored.WakeMicros); err != nil {
			return err
		}
		return also(tx, stored)
	})
}
