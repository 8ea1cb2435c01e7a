package store

import "context"

// Secret is the installation's secret: fresh the first time anybody asks, on
// whatever node, and that one ever after.
func (sys *System) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	var secret []byte
	err := sys.write(ctx, "secret", func(s *session) error {
		if _, err := s.exec("INSERT INTO installation (name, value) VALUES ('secret', $1) ON CONFLICT (name) DO NOTHING", fresh); err != nil {
			return err
		}
		return s.one([]any{&secret}, "SELECT value FROM installation WHERE name = 'secret'")
	})
	return secret, err
}
