package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"verdict/internal/fault"
)

// IdempotencyKey names a request that must be executed once. The route is part
// of it, because a key is valid for one method and path.
type IdempotencyKey struct{ Route, Name string }

// RequestHash is the hash of the body of a request; the same key with another body is refused. Keyed is the stored
// hash. It is keyed with the installation's secret, so that a copy of the database does not help to confirm a guess of
// the body. Plain is the SHA-256 hash that earlier versions stored; their answers may still be repeated.
type RequestHash struct{ Keyed, Plain string }

// is reports whether a stored hash is one of the two hashes of this body.
func (h RequestHash) is(stored string) bool { return stored == h.Keyed || stored == h.Plain }

// IdempotencyAnswer is the answer to every repetition of a request. It is
// stored in the same transaction as the request's changes.
type IdempotencyAnswer struct {
	Key           IdempotencyKey
	RequestHash   RequestHash
	Status        int64
	Header        string // headers that are repeated with the body
	Body          []byte
	Subject       string // the decision or run that the answer is about, "" if there is none; see Stored
	NowMicros     int64
	ExpiresMicros int64 // when the key becomes free again
}

func (a *IdempotencyAnswer) row() []any {
	return []any{a.Key.Route, a.Key.Name, a.RequestHash.Keyed, a.Status, a.Header, notNil(a.Body), a.Subject,
		a.NowMicros, a.ExpiresMicros}
}

// Stored is an answer that was given before. If it has a subject and no body, the answer is
// the stored answer of the decision or run with that id.
type Stored struct {
	Status  int64
	Header  string
	Body    []byte
	Subject string
}

// AlreadyAnswered is the error of a write whose idempotency key has an answer
// already. All changes of the write are undone.
type AlreadyAnswered struct {
	Stored Stored

	of          *IdempotencyAnswer
	unconfirmed bool // a synchronous standby may not have the answer yet
}

func (*AlreadyAnswered) Error() string { return "the request was answered before" }

var answerTable = newBulkTable("idempotency_keys",
	column{"route", text}, column{"name", text}, column{"request_hash", text}, column{"status", bigint},
	column{"header", text}, column{"body", bytea}, column{"subject", text}, column{"created_micros", bigint},
	column{"expires_micros", bigint}).
	// The statement takes a key that is free or expired, and returns it. It leaves a
	// row with a valid key unchanged. If another transaction holds the row, the
	// statement waits for that transaction.
	withClause(`ON CONFLICT (tenant_id, environment, route, name) DO UPDATE SET
	request_hash = excluded.request_hash, status = excluded.status, header = excluded.header, body = excluded.body,
	subject = excluded.subject, created_micros = excluded.created_micros, expires_micros = excluded.expires_micros
	WHERE idempotency_keys.expires_micros <= excluded.created_micros RETURNING route, name`)

// Insert stores an answer. If the key was used for the same request, it returns
// *AlreadyAnswered. If the key was used for another request, it returns Invalid
// idempotency_key_reused. The caller must return this error, so that its changes
// are undone.
func (an Answers) Insert(a IdempotencyAnswer) error {
	// The statement of insertAll would replace an expired answer without subtracting its size from the stored bytes.
	if _, err := an.tx.StoredBytes().deleteCounted(`DELETE FROM idempotency_keys
		WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4 AND expires_micros <= $5
		RETURNING `+answerSize, a.Key.Route, a.Key.Name, a.NowMicros); err != nil {
		return err
	}
	taken, err := an.insertAll([]*IdempotencyAnswer{&a})
	switch {
	case err != nil:
		return err
	case taken[0]:
		return an.answered(&a, inProgress())
	case a.Subject != "":
		return nil // the decision or the run is billed instead
	}
	return an.tx.StoredBytes().add(len(a.Body) + answerBytes)
}

// answerSize is the SQL expression for the number of stored bytes that are counted for an answer.
var answerSize = fmt.Sprintf("CASE WHEN subject = '' THEN length(body) + %d ELSE 0 END", answerBytes)

// insertAll stores the answers whose key is free. taken marks the answers whose key is taken, possibly by an earlier
// answer of the same call. An answer may be nil.
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
			an.tx.transaction.noteWritten(answerName(an.tx.rls, a.Key))
		}
	}
	if len(unique) == 0 {
		return taken, nil
	}
	// The fixed order prevents a deadlock between two nodes.
	slices.SortFunc(unique, func(a, b *IdempotencyAnswer) int { return compareKeys(a.Key, b.Key) })
	rows := make([][]any, len(unique))
	for i, a := range unique {
		rows[i] = a.row()
	}
	err = answerTable.insertReturning(an.tx, rows, func(scan func(...any) error) error {
		var mine IdempotencyKey
		if err := scan(&mine.Route, &mine.Name); err != nil {
			return err
		}
		taken[holder[mine]] = false
		return nil
	})
	return taken, err
}

// answered returns the error of a write whose key is taken: *AlreadyAnswered with the stored answer, or Invalid if
// the key was used for another request. If there is no stored answer, it returns the error in the parameter
// "otherwise".
func (an Answers) answered(a *IdempotencyAnswer, otherwise error) error {
	stored, unconfirmed, err := an.lookup(a.Key, a.RequestHash, a.NowMicros)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return otherwise
	default:
		unconfirmed = unconfirmed || an.tx.transaction.db.unconfirmed.has(answerName(an.tx.rls, a.Key))
		return &AlreadyAnswered{Stored: *stored, of: a, unconfirmed: unconfirmed}
	}
}

// withdraw deletes an answer that this transaction has stored.
func (an Answers) withdraw(key IdempotencyKey) error {
	_, err := an.tx.exec(
		"DELETE FROM idempotency_keys WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4",
		key.Route, key.Name)
	return err
}

// Lookup returns the stored answer of a key, nil if the key is free. It returns
// Invalid idempotency_key_reused if the key was used for another request.
//
// A synchronous standby may not have the answer yet. Outside a transaction,
// Lookup then reads the answer in a transaction that the standby acknowledges,
// and returns Unavailable if that fails.
func (an AnswerReader) Lookup(key IdempotencyKey, requestHash RequestHash, nowMicros int64) (*Stored, error) {
	if an.tx != nil {
		stored, _, err := an.tx.Answers().lookup(key, requestHash, nowMicros)
		return stored, err
	}
	if !an.scope.db.unconfirmed.has(answerName(an.scope.rlsScope(), key)) {
		stored, unconfirmed, err := readTwo(an.access, func(tx *Tx) (*Stored, bool, error) {
			return tx.Answers().lookup(key, requestHash, nowMicros)
		})
		if err != nil || stored == nil || !unconfirmed {
			return stored, err
		}
	}
	scope := an.scope
	return scope.lookupFenced(an.ctx, key, requestHash, nowMicros)
}

// lookup looks up an answer in a transaction, and reports whether a synchronous
// standby may not have it yet.
func (an Answers) lookup(
	key IdempotencyKey, requestHash RequestHash, nowMicros int64,
) (_ *Stored, unconfirmed bool, err error) {
	var hash string
	var standbys string
	var createdMicros int64
	var s Stored
	err = an.tx.one([]any{&hash, &s.Status, &s.Header, &s.Body, &s.Subject, &createdMicros, &standbys},
		`SELECT request_hash, status, header, body, subject, created_micros, `+an.tx.transaction.db.dialect.standbys+
			` FROM idempotency_keys
		WHERE tenant_id = $1 AND environment = $2 AND route = $3 AND name = $4 AND expires_micros > $5`,
		key.Route, key.Name, nowMicros)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !requestHash.is(hash):
		return nil, false, fault.New(fault.Invalid, fault.CodeIdempotencyKeyReused,
			"this Idempotency-Key was used with another body")
	}
	return &s, standbys != "" && createdMicros > nowMicros-unconfirmedFor.Microseconds(), nil
}

func inProgress() *fault.Error {
	return fault.New(fault.Conflict, fault.CodeIdempotencyInProgress,
		"a request with this Idempotency-Key is still in progress")
}

func compareKeys(a, b IdempotencyKey) int {
	return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Name, b.Name))
}

// PurgeIdempotency removes expired keys of all tenants, in one transaction for each scope, and returns the number
// removed. It removes at most limit keys of each scope, and at least limit keys in total if that many have expired.
func (sys *System) PurgeIdempotency(ctx context.Context, nowMicros int64, limit int) (removed int64, err error) {
	const due = `(SELECT tenant_id, environment, route, name FROM idempotency_keys
		WHERE expires_micros <= $1 ORDER BY expires_micros LIMIT $2) AS due`
	var scopes []ScopeName
	err = sys.read(ctx, func(s *transaction) error {
		scopes = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var n ScopeName
			err := scan(&n.Tenant, &n.Environment)
			scopes = append(scopes, n)
			return err
		}, "SELECT DISTINCT tenant_id, environment FROM "+due, nowMicros, int64(limit))
	})
	for i := 0; err == nil && i < len(scopes); i++ {
		var deleted int64
		err = sys.writeIn(ctx, scopes[i].Tenant, scopes[i].Environment, func(s *transaction) (err error) {
			tx := s.within(scopes[i].Tenant, scopes[i].Environment)
			deleted, err = tx.StoredBytes().deleteCounted(`DELETE FROM idempotency_keys
				WHERE (tenant_id, environment, route, name) IN (SELECT tenant_id, environment, route, name FROM
					(SELECT tenant_id, environment, route, name FROM idempotency_keys
						WHERE expires_micros <= $3 ORDER BY expires_micros LIMIT $4) AS due
					WHERE tenant_id = $1 AND environment = $2)
				RETURNING `+answerSize, nowMicros, int64(limit))
			return err
		})
		if err == nil {
			removed += deleted
		}
	}
	return removed, err
}
