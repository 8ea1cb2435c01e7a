package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
)

// MasterKey returns the fingerprint of the master key of this database, nil if nothing is
// encrypted.
func (sec *Secrets) MasterKey(ctx context.Context) (fingerprint []byte, err error) {
	err = sec.read(ctx, func(s *transaction) error {
		return ignoreAbsent(s.one([]any{&fingerprint}, selectMasterKey))
	})
	return fingerprint, err
}

const selectMasterKey = "SELECT value FROM installation WHERE name = 'master_key'"

// SetMasterKey stores the fingerprint of the master key, unless one is stored. It returns the stored fingerprint. If
// the database has no epochs yet, the stored key becomes the first epoch.
func (sec *Secrets) SetMasterKey(
	ctx context.Context, fingerprint []byte, nowMicros int64,
) (stored []byte, err error) {
	err = sec.write(ctx, "master key", func(s *transaction) error {
		added, err := s.exec("INSERT INTO installation (name, value) VALUES ('master_key', $1) ON CONFLICT (name) DO "+
			"NOTHING", fingerprint)
		if err != nil {
			return err
		}
		if err := s.one([]any{&stored}, selectMasterKey); err != nil {
			return err
		}
		if added == 0 {
			nowMicros = 0 // it is not known when the key began to be used
		}
		_, err = s.exec("INSERT INTO key_epochs (number, fingerprint, begun_micros) VALUES (1, $1, $2) "+
			"ON CONFLICT (number) DO NOTHING", stored, nowMicros)
		return err
	})
	return stored, err
}

// ReplaceSecret replaces the installation's secret. change returns the new bytes; if it
// returns nil, or if there is no secret yet, nothing changes. replaced reports whether the
// secret was replaced.
func (sec *Secrets) ReplaceSecret(
	ctx context.Context, change func(stored []byte) ([]byte, error),
) (replaced bool, err error) {
	err = sec.write(ctx, "secret", func(s *transaction) error {
		replaced = false // the write may be repeated
		var stored []byte
		err := s.one([]any{&stored}, "SELECT value FROM installation WHERE name = 'secret'"+s.db.dialect.forUpdate)
		if err != nil {
			return ignoreAbsent(err)
		}
		next, err := change(stored)
		if err != nil || next == nil {
			return err
		}
		replaced = true
		_, err = s.exec("UPDATE installation SET value = $1 WHERE name = 'secret'", next)
		return err
	})
	return replaced, err
}

// StoredTree is a stored key tree of a tenant, a part of one, or the key of an upload. Parts have negative numbers.
// The keys of uploads have even lower numbers; see LastUploadKey.
type StoredTree struct {
	Tenant string
	Number int64
	Tree   []byte
}

// ReplaceKeyTrees replaces stored trees in one transaction. It calls change with each tree as it is stored at that
// moment; change returns the new bytes. If change returns nil, the tree stays as it is. A tree that no longer exists
// is skipped.
func (sec *Secrets) ReplaceKeyTrees(
	ctx context.Context, trees []StoredTree, change func(StoredTree) ([]byte, error),
) (replaced int64, err error) {
	err = sec.write(ctx, "key tree", func(s *transaction) error {
		replaced = 0 // the write may be repeated
		for _, t := range trees {
			err := s.one([]any{&t.Tree}, "SELECT tree FROM key_trees WHERE tenant_id = $1 AND number = $2"+
				s.db.dialect.forUpdate, t.Tenant, t.Number)
			if errors.Is(err, sql.ErrNoRows) {
				continue // the tenant was never used and is removed
			}
			if err != nil {
				return err
			}
			next, err := change(t)
			if err != nil {
				return err
			}
			if next == nil || bytes.Equal(next, t.Tree) {
				continue
			}
			if _, err := s.exec("UPDATE key_trees SET tree = $3 WHERE tenant_id = $1 AND number = $2",
				t.Tenant, t.Number, next); err != nil {
				return err
			}
			replaced++
		}
		return nil
	})
	return replaced, err
}

// Scrub removes the former content of changed and deleted rows from the files of an SQLite
// database: it copies the write-ahead log into the database file and truncates the log. done
// is false if a reader still needs the log; call Scrub again later. On PostgreSQL it does
// nothing, because old row versions are removed by VACUUM and the log is recycled.
func (sys *System) Scrub(ctx context.Context) (done bool, err error) {
	if !sys.db.dialect.embedded {
		return true, nil
	}
	var busy, pages, moved int64
	err = sys.db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	return busy == 0, sys.db.failure("truncate the write-ahead log", err)
}
