package store

import (
	"context"
	"crypto/rand"

	"verdict/internal/evidence"
	"verdict/internal/sealing"
	"verdict/internal/wire"
)

// record adds journal entries for events other than decisions, and returns the number of the first. It sets the
// scope of the records. The caller's transaction has locked the scope already, or is the first to write to it.
func (tx *Tx) record(records ...evidence.Record) (first int64, err error) {
	return tx.Journal().addRecords(records[0].Micros, records...)
}

// addRecords adds entries like Tx.record. nowMicros is the time at which the entries are added. For backfilled entries
// it is later than the events.
func (j Journal) addRecords(nowMicros int64, records ...evidence.Record) (first int64, err error) {
	entries := make([]Entry, len(records))
	for i := range records {
		r := &records[i]
		r.Tenant, r.Environment = j.tx.rls.tenant, j.tx.rls.environment
		leaf := r.Leaf()
		entries[i] = Entry{Leaf: leaf.Pack(nil), Data: r.Event()}
	}
	return j.Add(nowMicros, entries...)
}

// newSalt returns a salt for the hash of the texts of a row.
func newSalt() []byte {
	salt := make([]byte, sealing.SaltSize)
	_, _ = rand.Read(salt) // never returns an error
	return salt
}

// eventData returns the data of a record, which is a JSON object. write appends the members of the object. They must
// be in alphabetical order, so that the data is canonical JSON.
func eventData(write func(w *wire.Writer)) []byte {
	var w wire.Writer
	w.Object()
	write(&w)
	w.EndObject()
	return w.Buf
}

// eachRow returns the rows of a query. fields returns the destinations for the columns of a row.
func eachRow[T any](tx *Tx, fields func(*T) []any, query string, args ...any) (rows []T, err error) {
	err = tx.each(func(scan func(...any) error) error {
		var row T
		err := scan(fields(&row)...)
		rows = append(rows, row)
		return err
	}, query, args...)
	return rows, err
}

// walkRows calls fn with each row of a query. fields returns the destinations for the columns of a row.
func walkRows[T any](a access, fields func(*T) []any, fn func(*T) error, query string, args ...any) error {
	_, err := read(a, func(tx *Tx) (struct{}, error) {
		return struct{}{}, tx.each(func(scan func(...any) error) error {
			var row T
			if err := scan(fields(&row)...); err != nil {
				return err
			}
			return fn(&row)
		}, query, args...)
	})
	return err
}

// scanned is a row that has destinations for scanning its columns.
type scanned[T any] interface {
	*T
	fields() []any
}

// loggedRow is a row whose last change has an entry in the journal.
type loggedRow[T any] interface {
	scanned[T]
	rowID() string
}

// walkLogged calls fn for every row of a table of the scope, in the order of their ids. Parameter "together" is the
// maximum number of rows that it holds in memory. If fn returns an error, walkLogged stops and returns the error.
func walkLogged[T any, P loggedRow[T]](a access, columns, table string, together int64, fn func(P) error) error {
	return walkByKey(a, columns, table, "id", together, P.rowID, fn)
}

// walkByKey does the work of walkLogged for a table whose rows are ordered by the column key. keyOf returns the key of
// a row.
func walkByKey[K int64 | string, T any, P scanned[T]](
	a access, columns, table, key string, together int64, keyOf func(P) K, fn func(P) error,
) error {
	var last K
	for {
		rows, err := read(a, func(tx *Tx) ([]T, error) {
			return eachRow(tx, func(row *T) []any { return P(row).fields() }, "SELECT "+columns+" FROM "+table+
				" WHERE tenant_id = $1 AND environment = $2 AND "+key+" > $3 ORDER BY "+key+" LIMIT $4", last, together)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			row := P(&rows[i])
			if err := fn(row); err != nil {
				return err
			}
			last = keyOf(row)
		}
	}
}

// withoutEntry returns the oldest rows of a table that have no entry in the journal.
func withoutEntry[T any, P loggedRow[T]](tx *Tx, columns, table string, b Backfill) ([]T, error) {
	return eachRow(tx, func(row *T) []any { return P(row).fields() }, "SELECT "+columns+" FROM "+table+
		` WHERE tenant_id = $1 AND environment = $2 AND leaf < 0 AND created_micros < $3
		ORDER BY created_micros, id LIMIT $4`, b.BeforeMicros, int64(b.Limit))
}

// Backfill says which rows get their entries in the journal afterwards.
type Backfill struct {
	Part         Backfilled
	BeforeMicros int64 // only rows that were stored before this time
	NowMicros    int64
	Limit        int // the approximate maximum number of rows
}

// Backfill adds journal entries for rows, other than decisions, that have none. It returns the number of added
// entries, 0 if no such rows are left.
func (j Journal) Backfill(b Backfill) (added int, err error) {
	type filler = func(*Tx, Backfill) (int, error)
	for _, fill := range map[Backfilled][]filler{
		BackfilledRecords: {fillReviews, fillRuleSets, fillConfigs},
		BackfilledLists:   {fillScorecards, fillBlocklist},

		BackfilledExposures: {fillExposures},
	}[b.Part] {
		n, err := fill(j.tx, b)
		if added += n; err != nil || n >= b.Limit {
			return added, err
		}
		b.Limit -= n
	}
	return added, nil
}

// record adds backfilled journal entries.
func (b Backfill) record(tx *Tx, records ...evidence.Record) (first int64, err error) {
	for i := range records {
		records[i].Backfilled = true
	}
	return tx.Journal().addRecords(b.NowMicros, records...)
}

// JournalSince returns when the rows of a part began to have entries in the journal, in microseconds. Every row that
// was stored later must have an entry.
func (sys *System) JournalSince(ctx context.Context, part Backfilled) (micros int64, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		return s.one([]any{&micros}, "SELECT applied_micros FROM schema_migrations WHERE version = $1",
			map[Backfilled]int64{
				BackfilledDecisions: journalSchema,
				BackfilledRecords:   recordSchema,
				BackfilledLists:     listSchema,
				BackfilledExposures: exposureSchema,
			}[part])
	})
	return micros, err
}

// The first schema versions in which rows other than decisions have journal entries.
const (
	recordSchema = 18 // reviews, rule sets, activations and settings
	listSchema   = 23 // scorecards and the block list

	exposureSchema = 33
)
