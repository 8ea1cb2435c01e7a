package store

import (
	"context"
	"strings"
)

// FileOf returns the path of the file of an SQLite database. ok is false for another URL.
func FileOf(databaseURL string) (path string, ok bool) {
	path, ok = strings.CutPrefix(databaseURL, "sqlite:")
	return strings.TrimPrefix(path, "//"), ok
}

// LogKey returns the public key with which the logs of this database are signed, nil if
// none is known.
func (sys *System) LogKey(ctx context.Context) (public []byte, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		return ignoreAbsent(s.one([]any{&public}, "SELECT value FROM installation WHERE name = 'log_key'"))
	})
	return public, err
}

// SetLogKey stores the public key with which the logs are signed, unless one is stored. It
// returns the stored one.
func (sys *System) SetLogKey(ctx context.Context, public []byte) (stored []byte, err error) {
	err = sys.write(ctx, "log key", func(s *transaction) error {
		if _, err := s.exec("INSERT INTO installation (name, value) VALUES ('log_key', $1) ON CONFLICT (name) DO "+
			"NOTHING", public); err != nil {
			return err
		}
		return s.one([]any{&stored}, "SELECT value FROM installation WHERE name = 'log_key'")
	})
	return stored, err
}

// Secret returns the installation's secret. The first call, on any node, stores
// fresh as the secret; later calls return the stored secret.
func (sys *System) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	var secret []byte
	err := sys.write(ctx, "secret", func(s *transaction) error {
		if _, err := s.exec("INSERT INTO installation (name, value) VALUES ('secret', $1) ON CONFLICT (name) DO "+
			"NOTHING", fresh); err != nil {
			return err
		}
		return s.one([]any{&secret}, "SELECT value FROM installation WHERE name = 'secret'")
	})
	return secret, err
}
