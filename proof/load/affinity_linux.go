package load

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// Separate gives the server that is measured and the load generator different processors, so that neither takes
// processor time from the other. It assigns the first half of the processors to this process. Processes that it
// starts before it calls apart, such as the server, inherit this half. apart then assigns the other half to this
// process. Separate does nothing on a machine with one processor.
func Separate() (apart func() error, separated bool, err error) {
	n := runtime.NumCPU()
	if n < 2 {
		return func() error { return nil }, false, nil
	}
	// Children inherit the processors of the thread that starts them.
	if err := runOn(0, n/2); err != nil {
		return nil, false, err
	}
	return func() error { return runOn(n/2, n) }, true, nil
}

// runOn confines every thread of this process to a range of processors.
func runOn(from, to int) error {
	var mask [128]byte // large enough for the processors that Linux supports by default
	for i := from; i < to; i++ {
		mask[i/8] |= 1 << (i % 8)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list the threads: %w", err)
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return fmt.Errorf("list the threads: %w", err)
		}
		_, _, code := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(id), unsafe.Sizeof(mask),
			uintptr(unsafe.Pointer(&mask)))
		if code != 0 && code != syscall.ESRCH {
			return fmt.Errorf("choose processors: %w", code)
		}
	}
	return nil
}
