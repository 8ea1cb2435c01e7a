package store

import (
	"context"
	"iter"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// ConfigRetention names the retention periods in the journal.
const ConfigRetention = "retention"

var retentionConfig = versionedConfig{
	table:   "retention_settings",
	config:  ConfigRetention,
	changed: "the retention periods were changed in the meantime; read them again",
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
func (rt RetentionReader) Since(sinceMicros int64) ([]ConfigVersion, error) {
	return read(rt.access, func(tx *Tx) ([]ConfigVersion, error) {
		return eachRow(tx, (*ConfigVersion).fields, "SELECT "+configVersionColumns+` FROM retention_settings
			WHERE tenant_id = $1 AND environment = $2 AND version >= coalesce((SELECT max(version)
			FROM retention_settings
				WHERE tenant_id = $1 AND environment = $2 AND updated_micros <= $3), 0)
			ORDER BY version DESC LIMIT $4`, sinceMicros, int64(maxRetentionVersions))
	})
}

// maxRetentionVersions limits the versions that Since returns.
const maxRetentionVersions = 10_000

// Latest returns the latest version of the periods, with version 0 and no document if there is none.
func (rt RetentionReader) Latest() (ConfigVersion, error) { return retentionConfig.latest(rt.access) }

// WalkLogged calls fn for every version of the periods. If fn returns an error, it stops and returns the error.
func (rt RetentionReader) WalkLogged(fn func(*LoggedConfigVersion) error) error {
	return retentionConfig.walk(rt.access, fn)
}

// Put adds a version and its entry in the journal. It returns the version with its number, which is one more than the
// last number. It returns Precondition precondition_failed if the last version is not the expected one; a negative
// expectedVersion accepts any.
func (rt Retention) Put(s ConfigVersion, expectedVersion int64) (ConfigVersion, error) {
	if err := rt.tx.Lock(); err != nil {
		return ConfigVersion{}, err
	}
	before, err := rt.Latest()
	if err != nil {
		return ConfigVersion{}, err
	}
	return retentionConfig.put(rt.tx, s, before.Version, expectedVersion)
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
