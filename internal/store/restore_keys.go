package store

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store/archive"
)

// RestoreKeys says which keys a restored database gets.
type RestoreKeys struct {
	// From is the output of BackupWithKeys for keys, written together with the data or later. If From is set, the key
	// trees in the data are ignored: they may still have the keys of people who were erased after the backup. If From
	// is nil, the database keeps the key trees in the data.
	From io.Reader
	// Required makes the restore refuse encrypted data if From is nil.
	Required bool
}

// open reads the beginning of the archive of keys, and compares it with the header of the data. It returns nil if
// there are no keys.
func (k RestoreKeys) open(data archive.Header, version int64) (*keyArchive, error) {
	if k.From == nil {
		return nil, nil //nolint:nilnil // there are no keys
	}
	keys, header, err := archive.NewReader(k.From)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the KEYS file: %w", err)
	case header.SchemaVersion > version:
		return nil, archive.Damaged("the KEYS file has schema version %d and this version of verdict has %d: restore "+
			"it with the version that wrote it", header.SchemaVersion, version)
	case header.CreatedMicros < data.CreatedMicros:
		return nil, fault.New(fault.Conflict, fault.CodeKeysMissing, "the KEYS file was written at %s, before the "+
			"data at %s, so it may lack keys; use the one that was written with the data, or the newest one",
			clock(header.CreatedMicros), clock(data.CreatedMicros))
	}
	return &keyArchive{Reader: keys, newer: header.CreatedMicros > data.CreatedMicros}, nil
}

type keyArchive struct {
	*archive.Reader
	newer bool // the keys were written after the data, so people may have been erased in between
}

func clock(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.RFC3339) }

// The first schema versions with the table installation and with encrypted documents.
const (
	installationSchema = 5
	sealedSchema       = 20
)

// unfinished is the name of a row in the table installation. If the row exists, the database must not be used,
// because its keys are not restored yet.
const unfinished = "restoring"

// erasuresToApply is the name of a row in the table installation. If the row exists, people may have been erased
// after the restored backup was taken.
const erasuresToApply = "erasures_to_apply"

// ErasuresToApply reports whether the database was restored with keys that are newer than its data, so that the
// data may still have rows of people who were erased in between. The service must erase these rows before it
// serves.
func (sys *System) ErasuresToApply(ctx context.Context) (bool, error) {
	var found []string
	err := sys.read(ctx, func(s *transaction) (err error) {
		found, err = s.firstColumn("SELECT name FROM installation WHERE name = $1", erasuresToApply)
		return err
	})
	return len(found) == 1, err
}

// ErasuresApplied records that the service has erased the rows that ErasuresToApply is about.
func (sys *System) ErasuresApplied(ctx context.Context) error {
	return sys.write(ctx, "erasures applied", func(s *transaction) error {
		_, err := s.exec("DELETE FROM installation WHERE name = $1", erasuresToApply)
		return err
	})
}

// RestoreUnfinished reports whether a restore was interrupted, so that the database must not
// be used.
func (sys *System) RestoreUnfinished(ctx context.Context) (bool, error) {
	var found []string
	err := sys.read(ctx, func(s *transaction) (err error) {
		found, err = s.firstColumn("SELECT name FROM installation WHERE name = $1", unfinished)
		return err
	})
	return len(found) == 1, err
}

// checkKeys returns Conflict if keys are required and missing. If keys follow, it records that
// the database cannot be used before they are restored.
func (s *transaction) checkKeys(k RestoreKeys) error {
	switch {
	case k.From != nil && s.db.version >= installationSchema:
		_, err := s.exec("INSERT INTO installation (name, value) VALUES ($1, $2)", unfinished, []byte{1})
		return err
	case k.From == nil && k.Required && s.db.version >= sealedSchema:
		people, err := s.sealedPeople("")
		if err != nil || people == 0 {
			return err
		}
		return fault.New(fault.Conflict, fault.CodeKeysMissing, "the data of %d people is encrypted and cannot be "+
			"read without keys; give the newest KEYS file", people)
	}
	return nil
}

// sealedPeople counts the people with encrypted data. A decision that names nobody counts as one person. condition is
// a further SQL condition on the decisions, which have the alias d.
func (s *transaction) sealedPeople(condition string) (people int64, err error) {
	err = s.one([]any{&people}, `SELECT count(*) FROM (SELECT DISTINCT tenant_id, environment,
		CASE WHEN applicant_ref = '' THEN id ELSE applicant_ref END AS person
		FROM decisions d WHERE substr(response, 1, 1) = $1`+condition+") AS people", sealedForm)
	return people, err
}

// restoreKeys replaces the keys of a restored database by those in an archive.
func (db *DB) restoreKeys(ctx context.Context, from *keyArchive) error {
	return db.fill(ctx, func(s *transaction) error {
		all, err := s.catalogue()
		if err != nil {
			return err
		}
		if err := s.execAll([]string{
			"DELETE FROM key_trees", "DELETE FROM key_epochs",
			"DELETE FROM installation WHERE name IN ('secret', 'master_key', '" + unfinished + "', '" +
				keyRotation + "')",
		}); err != nil {
			return err
		}
		tables := tablesNamed(all, keyTables)
		if err := from.Load(tables, func(at int, rows [][]any) error {
			return s.insertKeys(tables[at], rows)
		}, reporting(nil)); err != nil {
			return fmt.Errorf("the KEYS file: %w", err)
		}
		if err := s.dropUploadKeys(); err != nil {
			return err
		}
		if from.newer {
			if _, err := s.exec("INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
				erasuresToApply, []byte{1}); err != nil {
				return err
			}
		}
		people, err := s.sealedPeople(" AND NOT EXISTS (SELECT 1 FROM key_trees k WHERE k.tenant_id = d.tenant_id)")
		if err == nil && people > 0 {
			err = fault.New(fault.Conflict, fault.CodeKeysMissing, "the KEYS file lacks the keys of %d people, so "+
				"their data could not be read; give the newest KEYS file, and restore into a new database", people)
		}
		return err
	})
}

// dropUploadKeys deletes the keys of uploads whose job is not in the database, because the data is older than the job.
// Otherwise nothing would ever destroy these keys.
func (s *transaction) dropUploadKeys() error {
	_, err := s.exec(`DELETE FROM key_trees WHERE number <= $1
		AND NOT EXISTS (SELECT 1 FROM backtests b WHERE b.tenant_id = key_trees.tenant_id
			AND b.upload_key = key_trees.number)
		AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.tenant_id = key_trees.tenant_id
			AND b.upload_key = key_trees.number)`, int64(LastUploadKey))
	return err
}

// insertKeys inserts rows of an archive of keys. Of the table installation it inserts only the secret and the
// fingerprint of the master key.
func (s *transaction) insertKeys(t archive.Table, rows [][]any) error {
	names, places := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i], places[i] = c.Name, "$"+strconv.Itoa(i+1)
	}
	for _, row := range rows {
		name, _ := row[max(0, slices.Index(names, "name"))].(string)
		if t.Name == "installation" && name != "secret" && name != "master_key" {
			continue
		}
		if _, err := s.exec("INSERT INTO "+t.Name+" ("+strings.Join(names, ", ")+") VALUES ("+
			strings.Join(places, ", ")+")", row...); err != nil {
			return s.loadError(t.Name, err)
		}
	}
	return nil
}
