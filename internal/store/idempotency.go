package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"verdict/internal/fault"
)

// IdempotencyKey names a request that must be done once. The route is part of
// the name: a key means something for one method and path.
type IdempotencyKey struct{ Route, Name string }

// IdempotencyAnswer is what every repetition of a request is to hear. It is
// stored in the transaction of what the request did.
type IdempotencyAnswer struct {
	Key           IdempotencyKey
	RequestHash   string // of the body: the same key with another body is refused
	Status        int64
	Header        string // what the caller wants to repeat besides the body
	Body          []byte
	NowMicros     int64
	ExpiresMicros int64 // from then on the key is free again
}

func (a *IdempotencyAnswer) row() []any {
	return []any{a.Key.Route, a.Key.Name, a.RequestHash, a.Status, a.Header, present(a.Body), a.NowMicros, a.ExpiresMicros}
}

// Stored is an answer that was given before.
type Stored struct {
	Status int64
	Header string
	Body   []byte
}

// AlreadyAnswered is the error of a write whose idempotency key somebody else
// finished first. Everything the write did is undone.
type AlreadyAnswered struct {
	Stored Stored

	of     *IdempotencyAnswer
	unsure bool // the synchronous standby may not have it
}

func (*AlreadyAnswered) Error() string { return "the request was answered before" }

var answerTable = newBulkTable("idempotency_keys",
	column{"route", text}, column{"name", text}, column{"request_hash", text}, column{"status", bigint},
	column{"header", text}, column{"body", bytea}, column{"created_micros", bigint}, column{"expires_micros", bigint}).
	// A key that is free or expired becomes ours and is returned; any other
	// row stays as it is. Whoever holds a row that is not committed yet is
	// waited for.
	ending(`ON CONFLICT (tenant_id, environment, route, name) DO UPDATE SET
	request_hash = excluded.request_hash, status = excluded.status, header = excluded.header, body = excluded.body,
	created_micros = excluded.created_micros, expires_micros = excluded.expires_micros
	WHERE idempotency_keys.expires_micros <= excluded.created_micros RETURNING route, name`)

// Insert stores what every repetition is to hear. When the key has an answer
// already the error is *AlreadyAnswered for the same request and Invalid
// idempotency_key_reused for another; the caller must return it, so that what
// it did is undone.
func (an Answers) Insert(a IdempotencyAnswer) error {
	taken, err := an.insertAll([]*IdempotencyAnswer{&a})
	if err != nil || !taken[0] {
		return err
	}
	return an.answered(&a, inProgress())
}

// insertAll stores those answers whose key is free and tells which found
// it taken, be it by an earlier one of these. An answer may be nil.
func (an Answers) insertAll(answers []*IdempotencyAnswer) (taken []bool, err error) {
	taken = make([]bool, len(answers))
	holder := map[IdempotencyKey]int{}
	var unique []*IdempotencyAnswer
	for i, a := range answers {
		if a == nil {
			continue
		}
		taken[i] = true
		if _, repeated := holder[a.Key]; !repeated {
			holder[a.Key] = i
			unique = append(unique, a)
			an.tx.wroteAnswer(a.Key)
		}
	}
	if len(unique) == 0 {
		return taken, nil
	}
	// In a fixed order, so that two nodes cannot wait for each other's rows.
	slices.SortFunc(unique, func(a, b *IdempotencyAnswer) int { return compareKeys(a.Key, b.Key) })
	rows := make([][]any, len(unique))
	for i, a := range unique {
		rows[i] = a.row()
	}
	err = an.tx.insertReturning(answerTable, rows, func(scan func(...any) error) error {
		var mine IdempotencyKey
		if err := scan(&mine.Route, &mine.Name); err != nil {
			return err
		}
		taken[holder[mine]] = false
		return nil
	})
	return taken, err
}

// answered is the refusal of an attempt whose key is taken; otherwise is for
// the case that the answer has vanished since.
func (an Answers) answered(a *IdempotencyAnswer, otherwise error) error {
	stored, unsure, err := an.lookup(a.Key, a.RequestHash, a.NowMicros)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return otherwise
	default:
		unsure = unsure || an.tx.session.db.doubts.has(keyDoubt(an.tx.voice, a.Key))
		return &AlreadyAnswered{Stored: *stored, of: a, unsure: unsure}
	}
}

// withdraw removes an answer that this transaction has stored.
func (an Answers) withdraw(key IdempotencyKey) error {
	_, err := an.tx.exec(
		"DELETE FROM idempotency_keys WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4",
		key.Route, key.Name)
	return err
}

// Lookup returns the earlier answer of a key, nil when the key is free; Invalid
// idempotency_key_reused when it was used for another request. It changes
// nothing.
//
// Outside a transaction, if a synchronous standby may not have the answer yet,
// it is read in a transaction that is acknowledged first; it is Unavailable if
// that fails.
func (an AnswerReader) Lookup(key IdempotencyKey, requestHash string, nowMicros int64) (*Stored, error) {
	if an.tx != nil {
		stored, _, err := an.tx.Answers().lookup(key, requestHash, nowMicros)
		return stored, err
	}
	if !an.scope.db.doubts.has(keyDoubt(an.scope.voice(), key)) {
		stored, unsure, err := readTwo(an.access, func(tx *Tx) (*Stored, bool, error) {
			return tx.Answers().lookup(key, requestHash, nowMicros)
		})
		if err != nil || stored == nil || !unsure {
			return stored, err
		}
	}
	scope := an.scope
	return scope.lookupFenced(an.ctx, key, requestHash, nowMicros)
}

// lookup is Lookup in a transaction, and tells whether a synchronous standby may not
// have the answer.
func (an Answers) lookup(key IdempotencyKey, requestHash string, nowMicros int64) (_ *Stored, unsure bool, err error) {
	var hash string
	var standbys string
	var createdMicros int64
	var s Stored
	err = an.tx.one([]any{&hash, &s.Status, &s.Header, &s.Body, &createdMicros, &standbys},
		`SELECT request_hash, status, header, body, created_micros, `+an.tx.session.db.dialect.standbys()+` FROM idempotency_keys
		WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4 AND expires_micros > $5`,
		key.Route, key.Name, nowMicros)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case hash != requestHash:
		return nil, false, fault.New(fault.Invalid, fault.CodeIdempotencyKeyReused,
			"this Idempotency-Key was used with another body")
	}
	return &s, standbys != "" && createdMicros > nowMicros-doubtFor.Microseconds(), nil
}

func inProgress() *fault.Error {
	return fault.New(fault.Conflict, fault.CodeIdempotencyInProgress,
		"a request with this Idempotency-Key is still in progress")
}

func compareKeys(a, b IdempotencyKey) int {
	return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Name, b.Name))
}

// PurgeIdempotency removes at most limit expired keys of all tenants and tells
// how many it removed.
func (sys *System) PurgeIdempotency(ctx context.Context, nowMicros int64, limit int) (int64, error) {
	var removed int64
	err := sys.write(ctx, "purge answers", func(s *session) (err error) {
		removed, err = s.exec(`DELETE FROM idempotency_keys WHERE (tenant_id, environment, route, name) IN
			(SELECT tenant_id, environment, route, name FROM idempotency_keys WHERE expires_micros <= $1 LIMIT $2)`,
			nowMicros, int64(limit))
		return err
	})
	return removed, err
}
