//go:build !linux

package load

// Separate does nothing on systems without processor affinity.
func Separate() (apart func() error, separated bool, err error) {
	return func() error { return nil }, false, nil
}
