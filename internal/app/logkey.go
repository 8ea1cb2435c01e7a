package app

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"verdict/internal/evidence"
	"verdict/internal/evidencedesk"
	"verdict/internal/logkey"
	"verdict/internal/store"
)

// logKeyOff is the value of the setting log-key that turns signing off.
const logKeyOff = "off"

// errNoLogKey is the error if a service on PostgreSQL has no setting log-key.
var errNoLogKey = errors.New("-log-key: a service on PostgreSQL needs the file of a log key; create one with " +
	"\"verdict log create-key FILE\" and give it to every node, or sign nothing with -log-key off")

// OpenLog opens the log key of a database for a command that signs. The caller must call
// closeLog.
func OpenLog(
	ctx context.Context, c Config, db *store.DB, logger *slog.Logger,
) (o evidencedesk.Options, closeLog func() error, err error) {
	o, signed, err := openLogKey(ctx, c, db, logger)
	switch {
	case err != nil:
		return o, nil, err
	case signed == nil:
		return o, nil, errors.New("-log-key is off, so nothing can be signed")
	}
	return o, signed.Close, nil
}

// openLogKey returns the options of the log: its key, and the record of the signed checkpoints. It creates the key of
// a new SQLite database if no file is configured. If the key is missing or is not the key of the database, it returns
// an error that says what to do, because another key would make every former checkpoint worthless.
func openLogKey(
	ctx context.Context, c Config, db *store.DB, logger *slog.Logger,
) (o evidencedesk.Options, signed *logkey.Signed, err error) {
	if c.LogKey == logKeyOff {
		logger.WarnContext(ctx, "the logs of decisions are not signed, because -log-key is off")
		return o, nil, nil
	}
	path := c.logKeyFile()
	if path == "" {
		return o, nil, errNoLogKey
	}
	ring, err := logkey.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		ring, err = createLogKey(ctx, path, c.LogKey == "", db, logger)
	}
	if err != nil {
		return o, nil, fmt.Errorf("-log-key: %w", err)
	}
	known, err := db.Secrets().LogKey(ctx)
	if err != nil {
		return o, nil, err
	}
	if o.Key, err = chooseKey(ctx, ring, path, db, logger); err != nil {
		return o, nil, fmt.Errorf("-log-key: %w", err)
	}
	o.FindKey = func(public []byte) (ed25519.PrivateKey, error) {
		ring, err := logkey.Read(path)
		return ring.Find(public), err
	}
	if signed, err = logkey.OpenSigned(c.signedFiles()); err != nil {
		return o, nil, fmt.Errorf("-log-signed: %w", err)
	}
	if known != nil && len(signed.Origins()) == 0 {
		logger.WarnContext(ctx, "found no record of the checkpoints that were signed before, so the service cannot "+
			"notice that an older copy of the database was restored; restore the folder of the record if you have a "+
			"copy",
			"folder", filepath.Dir(c.signedFiles()))
	}
	o.Signed = signed
	return o, signed, nil
}

// logKeyFile returns the file of the log key, or "" if none is configured.
func (c Config) logKeyFile() string {
	if c.LogKey != "" {
		return c.LogKey
	}
	if file, embedded := store.FileOf(c.DatabaseURL); embedded {
		return file + ".log-key"
	}
	return ""
}

// signedFiles returns the prefix of the names of the files that record the signed checkpoints.
func (c Config) signedFiles() string {
	if c.LogSigned != "" {
		return filepath.Join(c.LogSigned, filepath.Base(c.logKeyFile()))
	}
	return c.logKeyFile()
}

// ReadLog returns the public key and the record of signed checkpoints that the service has stored beside the log key.
// Commands compare them with the database. A part that is not there stays empty.
func (c Config) ReadLog() (o evidencedesk.Options, err error) {
	if c.LogKey == logKeyOff || c.logKeyFile() == "" {
		return o, nil
	}
	if ring, err := logkey.Read(c.logKeyFile()); err == nil {
		o.Public = evidence.PublicOf(ring.Newest())
	}
	signed, err := logkey.ReadSigned(c.signedFiles())
	if err != nil {
		return o, err
	}
	if len(signed.Origins()) > 0 {
		o.Signed = signed
	}
	return o, nil
}

// createLogKey creates the key of a new SQLite database. A database that has a key already
// does not get another one.
func createLogKey(
	ctx context.Context, path string, standard bool, db *store.DB, logger *slog.Logger,
) (ring logkey.Ring, err error) {
	known, err := db.Secrets().LogKey(ctx)
	if err != nil {
		return ring, err
	}
	if err := missingLogKey(path, standard, known != nil); err != nil {
		return ring, err
	}
	key, err := logkey.Create(path, rand.Reader)
	if err == nil {
		logger.InfoContext(ctx, "created the log key; back it up, and keep it secret", "file", path)
	}
	return logkey.Ring{Keys: []ed25519.PrivateKey{key}}, err
}

// missingLogKey returns the error if there is no file of a log key. It returns nil if the service creates the file: at
// the standard path, for a database whose log was never signed.
func missingLogKey(path string, standard, signed bool) error {
	switch {
	case signed:
		return fmt.Errorf("the log of this database was signed with a key that should be in %s, but there is no "+
			"such file; restore it from a backup", path)
	case !standard:
		return fmt.Errorf("there is no file %s; create it with \"verdict log create-key %s\"", path, path)
	}
	return nil
}
