package app

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"verdict/internal/evidencedesk"
	"verdict/internal/logkey"
	"verdict/internal/store"
)

// logKeyOff is the value of the setting log-key that turns signing off.
const logKeyOff = "off"

// openLogKey returns the options of the log: its key, and the file of what was signed. It creates the key of a new
// SQLite database if no file is configured. It returns an error that says what to do if the key is missing or is not
// the one of the database, because another key would make every former checkpoint worthless.
func openLogKey(
	ctx context.Context, c Config, db *store.DB, logger *slog.Logger,
) (o evidencedesk.Options, signed *logkey.Signed, err error) {
	if c.LogKey == logKeyOff {
		logger.WarnContext(ctx, "the log of decisions is not signed, because -log-key is off")
		return o, nil, nil
	}
	path := c.logKeyFile()
	if path == "" {
		return o, nil, errors.New("-log-key: a service on PostgreSQL needs the file of a log key; create one with " +
			"\"verdict log create-key FILE\" and give it to every node, or sign nothing with -log-key off")
	}
	o.Key, err = logkey.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		o.Key, err = createLogKey(ctx, path, c.LogKey == "", db, logger)
	}
	if err != nil {
		return o, nil, fmt.Errorf("-log-key: %w", err)
	}
	known, err := db.System().LogKey(ctx)
	if err != nil {
		return o, nil, err
	}
	public, _ := o.Key.Public().(ed25519.PublicKey) // always, for this key type
	stored, err := db.System().SetLogKey(ctx, public)
	if err != nil {
		return o, nil, err
	}
	if !bytes.Equal(stored, public) {
		return o, nil, fmt.Errorf("-log-key: the key in %s is not the one with which the log of this database was "+
			"signed; give every node the same file", path)
	}
	if signed, err = logkey.OpenSigned(c.signedFiles()); err != nil {
		return o, nil, fmt.Errorf("-log-signed: %w", err)
	}
	if known != nil && len(signed.Origins()) == 0 {
		logger.WarnContext(ctx, "there is no record of what was signed before: an older copy of the database could "+
			"not be noticed", "folder", filepath.Dir(c.signedFiles()))
	}
	o.Signed = signed
	return o, signed, nil
}

// logKeyFile returns the file of the log key, "" if none is configured.
func (c Config) logKeyFile() string {
	if c.LogKey != "" {
		return c.LogKey
	}
	if file, embedded := store.FileOf(c.DatabaseURL); embedded {
		return file + ".log-key"
	}
	return ""
}

// signedFiles returns the beginning of the names of the files with what was signed.
func (c Config) signedFiles() string {
	if c.LogSigned != "" {
		return filepath.Join(c.LogSigned, filepath.Base(c.logKeyFile()))
	}
	return c.logKeyFile()
}

// ReadLog returns what the service has stored beside the log key, as far as it is there, for
// commands that compare it with the database: the public key and what was signed.
func (c Config) ReadLog() (o evidencedesk.Options, err error) {
	if c.LogKey == logKeyOff || c.logKeyFile() == "" {
		return o, nil
	}
	if key, err := logkey.Read(c.logKeyFile()); err == nil {
		o.Public, _ = key.Public().(ed25519.PublicKey) // always, for this key type
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
) (ed25519.PrivateKey, error) {
	known, err := db.System().LogKey(ctx)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return nil, fmt.Errorf("the log of this database was signed with a key that should be in %s, but there is no "+
			"such file; restore it from a backup", path)
	}
	if !standard {
		return nil, fmt.Errorf("there is no file %s; create it with \"verdict log create-key %s\"", path, path)
	}
	key, err := logkey.Create(path, rand.Reader)
	if err == nil {
		logger.InfoContext(ctx, "created the log key; back it up, and keep it secret", "file", path)
	}
	return key, err
}
