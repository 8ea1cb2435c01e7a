//go:build !linux

package load

// Separate does nothing where processors cannot be chosen.
func Separate() (apart func() error, separated bool, err error) {
	return func() error { return nil }, false, nil
}
