//go:build !linux

package app

// clockSynchronized reports that the state of the clock is not known.
func clockSynchronized() (synchronized, known bool) { return false, false }
