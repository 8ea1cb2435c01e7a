package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// masterKeyOff is the value of the setting master-key that turns encryption off.
const masterKeyOff = "off"

// openMasterKey returns the master key, nil if encryption is off. It returns an error that
// says what to do if the key is missing or is not the one of the database: with another key
// nothing that is stored could be read.
func openMasterKey(ctx context.Context, c Config, db *store.DB, logger *slog.Logger) (*sealing.Epoch, error) {
	known, err := db.System().MasterKey(ctx)
	if err != nil {
		return nil, err
	}
	source, configured := c.masterKeySource()
	switch {
	case c.MasterKey == masterKeyOff && known != nil:
		return nil, errors.New("-master-key: the data of this database is encrypted, so the service cannot run with " +
			"-master-key off; give it the key")
	case c.MasterKey == masterKeyOff:
		logger.WarnContext(ctx, "applicants' data is stored readable, because -master-key is off")
		return nil, nil //nolint:nilnil // there is no key
	case !configured:
		return nil, errors.New("-master-key: a service on PostgreSQL needs a master key; create one with \"verdict keys " +
			"create FILE\" and give file:FILE to every node, or store everything readable with -master-key off")
	}
	key, err := source.Read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = c.createMasterKey(ctx, source, known != nil, logger)
	}
	if err != nil {
		return nil, fmt.Errorf("-master-key: %s: %w", source, err)
	}
	epoch := sealing.NewEpoch(key)
	fingerprint := epoch.Fingerprint()
	if known, err = db.System().SetMasterKey(ctx, fingerprint[:]); err != nil {
		return nil, err
	}
	return epoch, c.compareMasterKey(epoch, known)
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

// compareMasterKey returns an error if a key is not the one whose fingerprint is stored.
func (c Config) compareMasterKey(epoch *sealing.Epoch, stored []byte) error {
	if fingerprint := epoch.Fingerprint(); !bytes.Equal(stored, fingerprint[:]) {
		source, _ := c.masterKeySource()
		return fmt.Errorf("-master-key: the key from %s is not the one with which the data of this database is "+
			"encrypted; give every node the same key", source)
	}
	return nil
}

// createMasterKey creates the key of an SQLite database that has none yet, in the file
// beside the database. It never creates a key for a database that has one.
func (c Config) createMasterKey(
	ctx context.Context, source masterkey.Source, known bool, logger *slog.Logger,
) (key sealing.Secret, err error) {
	path, isFile := source.Path()
	switch {
	case known:
		return key, errors.New("the data of this database is encrypted with a key that should be there; restore it " +
			"from a backup")
	case !isFile || c.MasterKey != "":
		return key, errors.New("there is no such file; create it with \"verdict keys create FILE\"")
	}
	key, err = masterkey.Create(path, rand.Reader)
	if errors.Is(err, fs.ErrExist) {
		return source.Read(ctx) // another process that started at the same time has created it
	}
	if err == nil {
		logger.InfoContext(ctx, "created the master key, which encrypts applicants' data; back it up separately from "+
			"the database, and keep it secret", "file", path)
	}
	return key, err
}

// ReadMasterKey returns the master key for a command, nil if the database has none or the
// key is not there: commands that read no applicant's data work without it. It never
// creates a key. A key that is not the one of the database is an error.
func (c Config) ReadMasterKey(ctx context.Context, db *store.DB) (*sealing.Epoch, error) {
	known, err := db.System().MasterKey(ctx)
	if err != nil || known == nil {
		return nil, err
	}
	source, configured := c.masterKeySource()
	if !configured || c.MasterKey == masterKeyOff {
		return nil, nil //nolint:nilnil // there is no key
	}
	key, err := source.Read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is no key
	}
	if err != nil {
		return nil, fmt.Errorf("-master-key: %s: %w", source, err)
	}
	epoch := sealing.NewEpoch(key)
	return epoch, c.compareMasterKey(epoch, known)
}
