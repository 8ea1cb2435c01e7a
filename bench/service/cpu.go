package service

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf is the CPU time that all threads of a process have used, those of the
// garbage collector too. The kernel's clock of a process is exact; what /proc
// shows is rounded to hundredths of a second.
func cpuOf(pid int) (time.Duration, error) {
	const scheduled = 2 // the kernel's name for time on a core
	clock := int32(^pid)<<3 | scheduled
	var at unix.Timespec
	if err := unix.ClockGettime(clock, &at); err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(at.Nano()), nil
}

// cpuOfFamily is the CPU time of a process and of each of its children.
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
		if used, err := cpuOf(member); err == nil { // it may have ended since
			family[member] = used
		}
	}
	return family, nil
}

// since is what a family has used between two looks.
func since(before, after map[int]time.Duration) (sum time.Duration) {
	for pid, used := range after {
		sum += used - before[pid]
	}
	return sum
}

// snapshot is the CPU times at a moment.
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
