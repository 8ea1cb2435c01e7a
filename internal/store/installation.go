package store

import "context"

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
