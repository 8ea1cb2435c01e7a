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

	"verdict/internal/evidencedesk"
	"verdict/internal/logkey"
	"verdict/internal/store"
)

// logKeyOff is the value of the setting log-key that turns signing off.
const logKeyOff = "off"

// openLogKey returns the options of the log: its key, and the file of what was signed. It
// returns an error that says what to do if the key is missing or is not the one of the
// database, because another key would make every former checkpoint worthless.
func openLogKey(
	ctx context.Context, c Config, db *store.DB, logger *slog.Logger,
) (o evidencedesk.Options, signed *logkey.Signed, err error) {
	if c.LogKey == logKeyOff {
		return o, nil, nil
	}
	path := c.LogKey
	file, embedded := store.FileOf(c.DatabaseURL)
	if path == "" && embedded {
		path = file + ".log-key"
	}
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
	public, _ := o.Key.Public().(ed25519.PublicKey) // always, for this key type
	stored, err := db.System().SetLogKey(ctx, public)
	if err != nil {
		return o, nil, err
	}
	if !bytes.Equal(stored, public) {
		return o, nil, fmt.Errorf("-log-key: the key in %s is not the one with which the log of this database was "+
			"signed; give every node the same file", path)
	}
	if signed, err = logkey.OpenSigned(path); err != nil {
		return o, nil, fmt.Errorf("-log-key: %w", err)
	}
	o.Signed = signed
	return o, signed, nil
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
