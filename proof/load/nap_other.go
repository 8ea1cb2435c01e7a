//go:build !linux

package load

import "time"

// nap waits for a moment, as exactly as the runtime does.
func nap(d time.Duration) { <-time.After(d) }
