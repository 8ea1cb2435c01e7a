package store

import (
	"context"
	"strings"
)

// FileOf returns the path of the file of an SQLite database. ok is false for the URL of another database.
func FileOf(databaseURL string) (path string, ok bool) {
	path, ok = strings.CutPrefix(databaseURL, "sqlite:")
	return strings.TrimPrefix(path, "//"), ok
}

// LogKey returns the public key with which the logs of this database are signed, nil if
// none is known.
func (sec *Secrets) LogKey(ctx context.Context) (public []byte, err error) {
	err = sec.read(ctx, func(s *transaction) error {
		return ignoreAbsent(s.one([]any{&public}, "SELECT value FROM installation WHERE name = 'log_key'"))
	})
	return public, err
}

// SetLogKey stores the public key with which the logs are signed, unless a key is stored already. It returns the
// stored key.
func (sec *Secrets) SetLogKey(ctx context.Context, public []byte) (stored []byte, err error) {
	err = sec.write(ctx, "log key", func(s *transaction) error {
		if _, err := s.exec("INSERT INTO installation (name, value) VALUES ('log_key', $1) ON CONFLICT (name) DO "+
			"NOTHING", public); err != nil {
			return err
		}
		return s.one([]any{&stored}, "SELECT value FROM installation WHERE name = 'log_key'")
	})
	return stored, err
}

// LogKeyHistory returns the public key of the logs, nil if none is known. It also returns the changes that led to this
// key, as text with one change on each line, oldest first.
func (sec *Secrets) LogKeyHistory(ctx context.Context) (public []byte, changes string, err error) {
	err = sec.read(ctx, func(s *transaction) error {
		err := s.one([]any{&public}, "SELECT value FROM installation WHERE name = 'log_key'")
		if ignoreAbsent(err) != nil {
			return err
		}
		changes, err = s.logKeyChanges()
		return err
	})
	return public, changes, err
}

func (s *transaction) logKeyChanges() (string, error) {
	var value []byte
	err := s.one([]any{&value}, "SELECT value FROM installation WHERE name = 'log_key_changes'")
	return string(value), ignoreAbsent(err)
}

// ReplaceLogKey replaces the public key of the logs, and adds a line to the changes. If the stored key is not the key
// in from, nothing changes and done is false.
func (sec *Secrets) ReplaceLogKey(ctx context.Context, from, to []byte, change string) (done bool, err error) {
	err = sec.write(ctx, "replace the log key", func(s *transaction) error {
		replaced, err := s.exec("UPDATE installation SET value = $2 WHERE name = 'log_key' AND value = $1", from, to)
		if done = replaced == 1; err != nil || !done {
			return err
		}
		before, err := s.logKeyChanges()
		if err != nil {
			return err
		}
		_, err = s.exec("INSERT INTO installation (name, value) VALUES ('log_key_changes', $1) ON CONFLICT (name) DO "+
			"UPDATE SET value = excluded.value", []byte(before+change+"\n"))
		return err
	})
	return done, err
}

// Secret returns the installation's secret. The first call, on any node, stores
// fresh as the secret; later calls return the stored secret.
func (sec *Secrets) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	var secret []byte
	err := sec.write(ctx, "secret", func(s *transaction) error {
		if _, err := s.exec("INSERT INTO installation (name, value) VALUES ('secret', $1) ON CONFLICT (name) DO "+
			"NOTHING", fresh); err != nil {
			return err
		}
		return s.one([]any{&secret}, "SELECT value FROM installation WHERE name = 'secret'")
	})
	return secret, err
}
