//go:build !linux

package app

// clockSynchronized reports that it is not known.
func clockSynchronized() (synchronized, known bool) { return false, false }
