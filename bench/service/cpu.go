package service

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf returns the CPU time of all threads of a process, including those of the garbage
// collector. The kernel's CPU clock of a process is exact, while the times in /proc are
// rounded to hundredths of a second.
func cpuOf(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED in the kernel
	clock := int32(^pid)<<3 | scheduled
	var at unix.Timespec
	if err := unix.ClockGettime(clock, &at); err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(at.Nano()), nil
}

// cpuOfFamily returns the CPU times of a process and of its children, by process id.
func cpuOfFamily(pid int) (map[int]time.Duration, error) {
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil, fmt.Errorf("list the children of process %d: %w", pid, err)
	}
	family := map[int]time.Duration{}
	for _, text := range append(strings.Fields(string(list)), strconv.Itoa(pid)) {
		member, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("list the children of process %d: %w", pid, err)
		}
		if used, err := cpuOf(member); err == nil { // a child may have ended in the meantime
			family[member] = used
		}
	}
	return family, nil
}

// since returns the CPU time that a process and its children used between two readings.
func since(before, after map[int]time.Duration) (sum time.Duration) {
	for pid, used := range after {
		sum += used - before[pid]
	}
	return sum
}

// snapshot holds the CPU times at one point in time.
type snapshot struct {
	at       time.Duration
	server   time.Duration
	database map[int]time.Duration
}

func (g *generator) snapshot() (s snapshot, err error) {
	if g.order.Server > 0 {
		if s.server, err = cpuOf(g.order.Server); err != nil {
			return s, err
		}
	}
	if g.order.Database > 0 {
		if s.database, err = cpuOfFamily(g.order.Database); err != nil {
			return s, err
		}
	}
	s.at = time.Since(g.start)
	return s, nil
}
