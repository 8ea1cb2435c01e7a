//go:build !linux

package load

import "time"

// nap sleeps for a short time, with the precision of the Go runtime.
func nap(d time.Duration) { <-time.After(d) }
