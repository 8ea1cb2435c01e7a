package store

import (
	"context"
	"iter"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// ConfigRetention names the retention periods in the journal.
const ConfigRetention = "retention"

// RetentionSettings is one version of a scope's retention periods, encoded by the caller.
type RetentionSettings struct {
	Version       int64 // assigned by Put; 0 before the first Put
	Document      []byte
	UpdatedMicros int64
	UpdatedBy     string
}

const retentionColumns = "version, document, updated_micros, updated_by"

func (s *RetentionSettings) fields() []any {
	return []any{&s.Version, &s.Document, &s.UpdatedMicros, &s.UpdatedBy}
}

// LoggedRetention is a version of the retention periods with the number of its entry in the journal.
type LoggedRetention struct {
	RetentionSettings
	Leaf int64
	Salt []byte // the salt of the hash over the document
}

func (s *LoggedRetention) fields() []any {
	return append(s.RetentionSettings.fields(), &s.Leaf, &s.Salt)
}

// Record returns the entry of the version in the journal. The scope of the entry is not set.
func (s *LoggedRetention) Record() evidence.Record {
	r := configRecord(ConfigRetention, s.Version, s.UpdatedMicros, s.UpdatedBy)
	r.Commitment = evidence.Commit(s.Salt, string(s.Document))
	return r
}

// RetentionProgress says how far the documents of a zone were emptied.
type RetentionProgress struct {
	Zone string
	// All documents of the zone that have been emptied were stored before BeforeMicros. Leaf is the number of the
	// journal entry that states this time, -1 if nothing was emptied yet.
	BeforeMicros  int64
	Leaf          int64
	EntryMicros   int64  // the time of the entry
	AfterID       string // all objects up to this id were checked
	Emptied       int64  // the number of emptied documents
	AppliedMicros int64  // when the period was last applied completely, 0 for never
}

const progressColumns = "zone, before_micros, leaf, entry_micros, after_id, emptied, applied_micros"

func (p *RetentionProgress) fields() []any {
	return []any{&p.Zone, &p.BeforeMicros, &p.Leaf, &p.EntryMicros, &p.AfterID, &p.Emptied, &p.AppliedMicros}
}

// Record returns the entry in the journal that permits documents of the zone to be empty. The scope of the entry is
// not set.
func (p *RetentionProgress) Record() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Retention,
		ID:     p.Zone,
		Micros: p.EntryMicros,
		Type:   "retention.applied",
		Data: eventData(func(w *wire.Writer) {
			w.Optional("stored_before", evidence.At(p.BeforeMicros))
			w.Optional("zone", p.Zone)
		}),
	}
}

// RetentionReader reads retention periods and how far they were applied.
type RetentionReader struct{ access }

// Retention reads like RetentionReader, and changes the periods and applies them.
type Retention struct{ RetentionReader }

// Retention returns the RetentionReader of the scope.
func (s *Scope) Retention(ctx context.Context) RetentionReader { return RetentionReader{s.access(ctx)} }

// Retention returns the Retention of the transaction.
func (tx *Tx) Retention() Retention { return Retention{RetentionReader{tx.access()}} }

// Since returns the versions of the periods that were in force at some time after sinceMicros, newest first: the
// versions that were stored later, and the last version that was stored before.
func (rt RetentionReader) Since(sinceMicros int64) ([]RetentionSettings, error) {
	return read(rt.access, func(tx *Tx) ([]RetentionSettings, error) {
		return eachRow(tx, (*RetentionSettings).fields, "SELECT "+retentionColumns+` FROM retention_settings
			WHERE tenant_id = $1 AND environment = $2 AND version >= coalesce((SELECT max(version)
			FROM retention_settings
				WHERE tenant_id = $1 AND environment = $2 AND updated_micros <= $3), 0)
			ORDER BY version DESC LIMIT $4`, sinceMicros, int64(maxRetentionVersions))
	})
}

// maxRetentionVersions limits the versions that Since returns.
const maxRetentionVersions = 10_000

// Latest returns the latest version of the periods, with version 0 and no document if there is none.
func (rt RetentionReader) Latest() (RetentionSettings, error) {
	return read(rt.access, func(tx *Tx) (s RetentionSettings, err error) {
		err = tx.one(s.fields(), "SELECT "+retentionColumns+` FROM retention_settings
			WHERE tenant_id = $1 AND environment = $2 ORDER BY version DESC LIMIT 1`)
		return s, ignoreAbsent(err)
	})
}

// WalkLogged calls fn for every version of the periods. If fn returns an error, it stops and returns the error.
func (rt RetentionReader) WalkLogged(fn func(*LoggedRetention) error) error {
	version := func(x *LoggedRetention) int64 { return x.Version }
	return walkVersions(rt.access, retentionColumns, "retention_settings", version, fn)
}

// Put adds a version and its entry in the journal. It returns the version with its number, which is one more than the
// last number. It returns Precondition precondition_failed if the last version is not the expected one; a negative
// expectedVersion accepts any.
func (rt Retention) Put(s RetentionSettings, expectedVersion int64) (RetentionSettings, error) {
	if err := rt.tx.Lock(); err != nil {
		return RetentionSettings{}, err
	}
	before, err := rt.Latest()
	if err != nil {
		return RetentionSettings{}, err
	}
	if expectedVersion >= 0 && expectedVersion != before.Version {
		return RetentionSettings{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the retention periods were changed in the meantime; read them again")
	}
	s.Version = before.Version + 1
	logged := LoggedRetention{RetentionSettings: s, Salt: newSalt()}
	leaf, err := rt.tx.record(logged.Record())
	if err != nil {
		return RetentionSettings{}, err
	}
	_, err = rt.tx.exec(`INSERT INTO retention_settings (tenant_id, environment, `+retentionColumns+`, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.Version, notNil(s.Document), s.UpdatedMicros, s.UpdatedBy, leaf, logged.Salt)
	return s, err
}

// Progress returns how far each zone was emptied, ordered by the name of the zone.
func (rt RetentionReader) Progress() ([]RetentionProgress, error) {
	return read(rt.access, func(tx *Tx) ([]RetentionProgress, error) {
		return eachRow(tx, (*RetentionProgress).fields, "SELECT "+progressColumns+` FROM retention_progress
			WHERE tenant_id = $1 AND environment = $2 ORDER BY zone`)
	})
}

// ProgressOf returns how far a zone was emptied.
func (rt RetentionReader) ProgressOf(zone string) (RetentionProgress, error) {
	return read(rt.access, func(tx *Tx) (RetentionProgress, error) {
		p := RetentionProgress{Zone: zone, Leaf: -1}
		err := tx.one(p.fields(), "SELECT "+progressColumns+` FROM retention_progress
			WHERE tenant_id = $1 AND environment = $2 AND zone = $3`, zone)
		return p, ignoreAbsent(err)
	})
}

// PutProgress stores how far a zone was emptied. emptied is the number of documents, stored before beforeMicros, that
// this transaction has emptied. If it is not 0, PutProgress adds a journal entry, unless an earlier entry already
// covers beforeMicros.
func (rt Retention) PutProgress(p *RetentionProgress, emptied, beforeMicros, nowMicros int64) (err error) {
	if emptied > 0 && beforeMicros > p.BeforeMicros {
		p.BeforeMicros, p.EntryMicros = beforeMicros, wholeMillis(nowMicros)
		if p.Leaf, err = rt.tx.record(p.Record()); err != nil {
			return err
		}
	}
	p.Emptied += emptied
	_, err = rt.tx.exec(`INSERT INTO retention_progress (tenant_id, environment, `+progressColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, environment, zone) DO UPDATE SET
		before_micros = excluded.before_micros, leaf = excluded.leaf, entry_micros = excluded.entry_micros,
		after_id = excluded.after_id,
		emptied = excluded.emptied, applied_micros = excluded.applied_micros`,
		p.Zone, p.BeforeMicros, p.Leaf, p.EntryMicros, p.AfterID, p.Emptied, p.AppliedMicros)
	return err
}

// RetentionScopes yields the scopes that have retention periods, ordered by tenant and environment. Parameter page is
// the number of scopes that it reads at a time.
func (sys *System) RetentionScopes(ctx context.Context, page int) iter.Seq2[ScopeName, error] {
	return sys.scopes(ctx, page, `SELECT DISTINCT tenant_id, environment FROM retention_settings
		WHERE (tenant_id, environment) > ($1, $2) ORDER BY tenant_id, environment LIMIT $3`)
}
