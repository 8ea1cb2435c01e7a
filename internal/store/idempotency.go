package store

import (
	"context"
	"database/sql"
	"errors"

	"verdict/internal/fault"
)

// IdempotencyKey names a request that must be done once (CONTRACT C20). The
// route is part of the name: a key means something for one method and path.
type IdempotencyKey struct{ Route, Name string }

// IdempotencyBegin opens a key for one attempt.
type IdempotencyBegin struct {
	Key         IdempotencyKey
	RequestHash string // of the body: the same key with another body is refused
	Token       string // names the attempt, so that no other can finish it
	NowMicros   int64
	// LeaseMicros is until when the attempt is taken to be under way. A process
	// that dies holds its key no longer than that.
	LeaseMicros   int64
	ExpiresMicros int64 // from then on the key is free again
}

// IdempotencyAnswer finishes an attempt with what every repetition is to hear.
type IdempotencyAnswer struct {
	Key    IdempotencyKey
	Token  string
	Status int64
	Header string // what the caller wants to repeat besides the body
	Body   []byte
}

// Stored is an answer that was given before.
type Stored struct {
	Status int64
	Header string
	Body   []byte
}

// BeginIdempotency opens the key. It returns the answer of an earlier attempt
// if there is one, else nil, and the caller goes on. Conflict
// idempotency_in_progress while another attempt is under way; Invalid
// idempotency_key_reused when the key was used for another body.
func (tx *Tx) BeginIdempotency(b IdempotencyBegin) (*Stored, error) {
	// A key that is free, expired, or left behind by an attempt that died with
	// the same body, becomes ours; any other row stays as it is.
	taken, err := tx.exec(`INSERT INTO idempotency_keys (tenant_id, environment, route, name, request_hash, token,
		status, header, body, created_micros, lease_micros, expires_micros)
		VALUES ($1, $2, $3, $4, $5, $6, 0, '', $7, $8, $9, $10)
		ON CONFLICT (tenant_id, environment, route, name) DO UPDATE SET
		request_hash = excluded.request_hash, token = excluded.token, status = 0, header = '', body = excluded.body,
		created_micros = excluded.created_micros, lease_micros = excluded.lease_micros, expires_micros = excluded.expires_micros
		WHERE idempotency_keys.expires_micros <= $8
		OR (idempotency_keys.status = 0 AND idempotency_keys.lease_micros <= $8 AND idempotency_keys.request_hash = excluded.request_hash)`,
		b.Key.Route, b.Key.Name, b.RequestHash, b.Token, []byte{}, b.NowMicros, b.LeaseMicros, b.ExpiresMicros)
	if err != nil || taken == 1 {
		return nil, err
	}
	stored, err := tx.LookupIdempotency(b.Key, b.RequestHash, b.NowMicros)
	if errors.Is(err, sql.ErrNoRows) || err == nil && stored == nil {
		return nil, inProgress() // it was given up between the two statements
	}
	return stored, err
}

// LookupIdempotency is the earlier answer of a key, nil when the key is free,
// with the same refusals as BeginIdempotency. It changes nothing.
func (tx *Tx) LookupIdempotency(key IdempotencyKey, requestHash string, nowMicros int64) (*Stored, error) {
	var hash string
	var lease int64
	var s Stored
	err := tx.one([]any{&hash, &s.Status, &s.Header, &s.Body, &lease}, `SELECT request_hash, status, header, body, lease_micros
		FROM idempotency_keys WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4 AND expires_micros > $5`,
		key.Route, key.Name, nowMicros)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case hash != requestHash:
		return nil, fault.New(fault.Invalid, CodeIdempotencyKeyReused, "this Idempotency-Key was used with another body")
	case s.Status == 0 && lease > nowMicros:
		return nil, inProgress()
	case s.Status == 0:
		return nil, nil
	}
	return &s, nil
}

// FinishIdempotency stores the answer of the attempt that holds the key:
// Conflict when another holds it by now, which must undo what this one did.
func (tx *Tx) FinishIdempotency(a IdempotencyAnswer) error {
	changed, err := tx.exec(`UPDATE idempotency_keys SET status = $6, header = $7, body = $8
		WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4 AND token = $5 AND status = 0`,
		a.Key.Route, a.Key.Name, a.Token, a.Status, a.Header, present(a.Body))
	if err == nil && changed == 0 {
		return inProgress()
	}
	return err
}

// AbandonIdempotency frees the key of an attempt that has no answer to keep,
// such as a 5xx. A key that is not the attempt's any more is left alone.
func (tx *Tx) AbandonIdempotency(key IdempotencyKey, token string) error {
	_, err := tx.exec(`DELETE FROM idempotency_keys
		WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4 AND token = $5 AND status = 0`,
		key.Route, key.Name, token)
	return err
}

func inProgress() *fault.Error {
	return fault.New(fault.Conflict, CodeIdempotencyInProgress, "a request with this Idempotency-Key is under way")
}

// BeginIdempotency is Tx.BeginIdempotency in a transaction of its own.
func (s *Scope) BeginIdempotency(ctx context.Context, b IdempotencyBegin) (*Stored, error) {
	return inWrite(ctx, s, func(tx *Tx) (*Stored, error) { return tx.BeginIdempotency(b) })
}

// LookupIdempotency is Tx.LookupIdempotency in a transaction of its own.
func (s *Scope) LookupIdempotency(ctx context.Context, key IdempotencyKey, requestHash string, nowMicros int64) (*Stored, error) {
	return inRead(ctx, s, func(tx *Tx) (*Stored, error) { return tx.LookupIdempotency(key, requestHash, nowMicros) })
}

// FinishIdempotency is Tx.FinishIdempotency in a transaction of its own.
func (s *Scope) FinishIdempotency(ctx context.Context, a IdempotencyAnswer) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.FinishIdempotency(a) })
}

// AbandonIdempotency is Tx.AbandonIdempotency in a transaction of its own.
func (s *Scope) AbandonIdempotency(ctx context.Context, key IdempotencyKey, token string) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.AbandonIdempotency(key, token) })
}

// PurgeIdempotency removes at most limit expired keys of all tenants and tells
// how many it removed.
func (sys *System) PurgeIdempotency(ctx context.Context, nowMicros int64, limit int) (int64, error) {
	var removed int64
	err := sys.write(ctx, func(s *session) (err error) {
		removed, err = s.exec(`DELETE FROM idempotency_keys WHERE (tenant_id, environment, route, name) IN
			(SELECT tenant_id, environment, route, name FROM idempotency_keys WHERE expires_micros <= $1 LIMIT $2)`,
			nowMicros, int64(limit))
		return err
	})
	return removed, err
}
