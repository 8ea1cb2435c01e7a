package load

import (
	"syscall"
	"time"
)

// nap sleeps for a short time. The Go runtime's timers wake an idle program up
// to a millisecond late, which is longer than most answers take.
func nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // if a signal interrupts the sleep, the caller calls nap again
}
