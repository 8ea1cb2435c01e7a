package load

import (
	"os"
	"strconv"
	"strings"
)

// processorTime holds the time of all processors since the machine was started, in
// ticks, and the part that the host gave to other virtual machines ("steal").
type processorTime struct{ all, stolen int64 }

// readProcessorTime reads the time from the kernel. It returns zero on systems other than
// Linux.
func readProcessorTime() (t processorTime) {
	text, _ := os.ReadFile("/proc/stat") // missing on other systems
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	const first, stolen = 1, 8 // user, nice, system, idle, iowait, irq, softirq, steal
	if len(fields) <= stolen {
		return processorTime{}
	}
	for i := first; i <= stolen; i++ {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return processorTime{}
		}
		t.all += n
		if i == stolen {
			t.stolen = n
		}
	}
	return t
}

// stolenSince returns the share of the time since an earlier reading that the host gave
// to other machines. A measurement with a large share says more about the other
// machines than about the service.
func stolenSince(earlier processorTime) float64 {
	now := readProcessorTime()
	if now.all == earlier.all {
		return 0
	}
	return float64(now.stolen-earlier.stolen) / float64(now.all-earlier.all)
}
