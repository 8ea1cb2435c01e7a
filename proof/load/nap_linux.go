package load

import (
	"syscall"
	"time"
)

// nap waits for a moment. The runtime's own timers wake an idle program up to a
// millisecond late, which is longer than most answers take.
func nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // one that a signal cuts short is followed by another
}
