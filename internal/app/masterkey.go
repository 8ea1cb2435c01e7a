package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// masterKeyOff is the value of the setting master-key that turns encryption off.
const masterKeyOff = "off"

// The errors of a service that cannot have a master key.
var (
	errEncrypted = errors.New("-master-key: the data of this database is encrypted, so the service cannot run with " +
		"-master-key off; give it the key")
	errNoMasterKey = errors.New("-master-key: a service on PostgreSQL needs a master key; create one with \"verdict " +
		"keys create FILE\" and give file:FILE to every node, or store everything unencrypted with -master-key off")
)

// openMasterKey returns the master key, or nil if encryption is off. If the key is missing or
// is not the key of the database, it returns an error that says what to do, because no stored
// data could be read with another key.
func openMasterKey(ctx context.Context, c Config, db *store.DB, logger *slog.Logger) (*sealing.Epoch, error) {
	known, err := knownMasterKey(ctx, db)
	if err != nil {
		return nil, err
	}
	source, configured := c.masterKeySource()
	switch {
	case c.MasterKey == masterKeyOff && known != nil:
		return nil, errEncrypted
	case c.MasterKey == masterKeyOff:
		logger.WarnContext(ctx, "applicants' data is stored unencrypted, because -master-key is off")
		return nil, nil //nolint:nilnil // there is no key
	case !configured:
		return nil, errNoMasterKey
	}
	keys, err := source.Read(ctx)
	if isMissing(source, err) {
		keys, err = c.createMasterKey(ctx, source, known != nil, logger)
	}
	if err != nil {
		return nil, fmt.Errorf("-master-key: %s: %w", source, err)
	}
	// A new database gets the newest key. A database that has a key keeps it.
	fingerprint := sealing.NewEpoch(keys[len(keys)-1]).Fingerprint()
	if _, err = db.Secrets().SetMasterKey(ctx, fingerprint[:], c.now().UnixMicro()); err != nil {
		return nil, err
	}
	return c.chooseMasterKey(ctx, keys, db)
}

// knownMasterKey returns the fingerprint of the master key of a database, or nil if the
// database has none. It returns an error if the keys of a restored database are missing.
func knownMasterKey(ctx context.Context, db *store.DB) ([]byte, error) {
	unfinished, err := db.System().RestoreUnfinished(ctx)
	if err != nil {
		return nil, err
	}
	if err := restoreError(unfinished); err != nil {
		return nil, err
	}
	return db.Secrets().MasterKey(ctx)
}

// restoreError returns the error of a database whose restore is unfinished, and nil for any other database.
func restoreError(unfinished bool) error {
	if unfinished {
		return errors.New("the restore of this database was interrupted before its keys were stored; restore " +
			"the backup into a new database")
	}
	return nil
}

// now returns the time of the configured clock.
func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// masterKeySource returns where the master key is. ok is false if nothing is configured.
func (c Config) masterKeySource() (source masterkey.Source, ok bool) {
	if c.MasterKey != "" {
		source, err := masterkey.ParseSource(c.MasterKey)
		return source, err == nil
	}
	if file, embedded := store.FileOf(c.DatabaseURL); embedded {
		return masterkey.File(file + ".master-key"), true
	}
	return masterkey.Source{}, false
}

// chooseMasterKey returns the key with which the data of the database is encrypted. If that
// key is not among keys, it returns an error that says what to do.
func (c Config) chooseMasterKey(ctx context.Context, keys []sealing.Secret, db *store.DB) (*sealing.Epoch, error) {
	epochs, err := db.Secrets().KeyEpochs(ctx)
	if err != nil {
		return nil, err
	}
	return c.pickMasterKey(keys, epochs)
}

// pickMasterKey does the work of chooseMasterKey. epochs are the keys of the database.
func (c Config) pickMasterKey(keys []sealing.Secret, epochs store.KeyEpochs) (chosen *sealing.Epoch, err error) {
	source, _ := c.masterKeySource()
	for _, key := range keys {
		epoch := sealing.NewEpoch(key)
		fingerprint := epoch.Fingerprint()
		if bytes.Equal(fingerprint[:], epochs.Current) {
			return epoch, nil
		}
		if former, ok := epochs.Find(fingerprint[:]); ok {
			err = fmt.Errorf("-master-key: the key from %s was replaced by a newer one%s; copy the key file, or the "+
				"key, from a node that has the newer one", source, since(former.ReplacedMicros))
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("-master-key: the key from %s is not the one with which the data of this database is "+
		"encrypted; give every node the same key", source)
}

// since returns the end of a sentence with a time, or "" if the time is not known.
func since(micros int64) string {
	if micros == 0 {
		return ""
	}
	return " at " + time.UnixMicro(micros).UTC().Format(time.RFC3339)
}

// createMasterKey creates the key of an SQLite database that has none yet, in the file
// beside the database. It never creates a key for a database that has one.
func (c Config) createMasterKey(
	ctx context.Context, source masterkey.Source, known bool, logger *slog.Logger,
) ([]sealing.Secret, error) {
	if err := missingMasterKey(c.MasterKey == "", known); err != nil {
		return nil, err
	}
	path, _ := source.Path()
	key, err := masterkey.Create(path, rand.Reader)
	if errors.Is(err, fs.ErrExist) {
		return source.Read(ctx) // another process that started at the same time has created it
	}
	if err == nil {
		logger.InfoContext(ctx, "created the master key, which encrypts applicants' data; back it up separately from "+
			"the database, and keep it secret", "file", path)
	}
	return []sealing.Secret{key}, err
}

// isMissing reports whether reading a source has failed because its file does not exist. A command that does not exist
// is not a missing file.
func isMissing(source masterkey.Source, err error) bool {
	_, isFile := source.Path()
	return isFile && errors.Is(err, fs.ErrNotExist)
}

// missingMasterKey returns the error if there is no file of a master key. It returns nil if the service creates the
// file: at the standard path, for a database that is not encrypted.
func missingMasterKey(standard, encrypted bool) error {
	switch {
	case encrypted:
		return errors.New("the data of this database is encrypted with a key that should be there; restore it " +
			"from a backup")
	case !standard:
		return errors.New("there is no such file; create it with \"verdict keys create FILE\"")
	}
	return nil
}

// ReadMasterKey returns the master key for a command. It returns nil if the database has no
// master key, or if the key is not there: commands that read no applicant's data work without
// it. ReadMasterKey never creates a key. A key that is not the key of the database is an
// error.
func (c Config) ReadMasterKey(ctx context.Context, db *store.DB) (*sealing.Epoch, error) {
	known, err := knownMasterKey(ctx, db)
	if err != nil || known == nil {
		return nil, err
	}
	source, configured := c.masterKeySource()
	if !configured || c.MasterKey == masterKeyOff {
		return nil, nil //nolint:nilnil // there is no key
	}
	keys, err := source.Read(ctx)
	if isMissing(source, err) {
		return nil, nil //nolint:nilnil // there is no key
	}
	if err != nil {
		return nil, fmt.Errorf("-master-key: %s: %w", source, err)
	}
	return c.chooseMasterKey(ctx, keys, db)
}
