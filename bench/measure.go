package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sample is one measurement of one contestant, for one unit of work.
type sample struct {
	CPUNanos float64
	Allocs   float64
}

// measureHere measures a contestant in this process: once over its inputs to
// warm up, then over and over until the CPU time is used up.
//
// CPU time, because the machine is shared: it does not count what others take
// away. It is that of the whole process, so that whoever makes garbage pays for
// its collection too.
func measureHere(c contestant, budget time.Duration) sample {
	work, count := c.start()
	pass := func() {
		for i := range count {
			work(i)
		}
	}
	pass()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	passes, start := 0, cpuTime()
	var used time.Duration
	for used < budget {
		pass()
		passes++
		used = cpuTime() - start
	}
	runtime.ReadMemStats(&after)
	units := float64(passes * count)
	return sample{
		CPUNanos: float64(used.Nanoseconds()) / units,
		Allocs:   float64(after.Mallocs-before.Mallocs) / units,
	}
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // cannot be: both arguments are valid
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measureChild measures a contestant in a process of its own, so that nobody's
// heap, caches or garbage are anybody else's; on one core if taskset is there.
func measureChild(ctx context.Context, name string, budget time.Duration) (s sample, err error) {
	self, err := os.Executable()
	if err != nil {
		return s, fmt.Errorf("find the program itself: %w", err)
	}
	args := []string{self, "-only", name, "-budget", budget.String()}
	if taskset, err := exec.LookPath("taskset"); err == nil {
		args = append([]string{taskset, "-c", strconv.Itoa(pinnedCore())}, args...)
	}
	//nolint:gosec // The program runs itself.
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return s, fmt.Errorf("measure %s: %w", name, err)
	}
	if err := json.Unmarshal(out, &s); err != nil {
		return s, fmt.Errorf("read the measurement of %s: %w", name, err)
	}
	return s, nil
}

// pinnedCore is the last core this process may use.
func pinnedCore() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ = strings.Cut(strings.TrimSpace(list), "\n")
	core, err := strconv.Atoi(list[strings.LastIndexAny(list, ",-")+1:])
	if err != nil {
		return 0
	}
	return core
}

// results are the samples of every contestant, round by round.
type results map[string][]sample

// measureAll runs the rounds. In every round each contestant has its turn, so
// that a slow minute of the machine is everybody's.
func measureAll(ctx context.Context, names []string, rounds int, budget time.Duration) (results, error) {
	r := results{}
	for round := range rounds {
		for i, name := range names {
			progress("round %d of %d, %d of %d: %s", round+1, rounds, i+1, len(names), name)
			s, err := measureChild(ctx, name, budget)
			if err != nil {
				return nil, err
			}
			r[name] = append(r[name], s)
		}
	}
	progress("")
	return r, nil
}

// nanos is a contestant's median CPU time, allocs its median allocations.
func (r results) nanos(name string) float64 {
	return median(r[name], func(s sample) float64 { return s.CPUNanos })
}

func (r results) allocs(name string) float64 {
	return median(r[name], func(s sample) float64 { return s.Allocs })
}

// ratio is the median over the rounds of one contestant's time by another's of
// the same round. What slows a whole round down cancels out.
func (r results) ratio(name, by string) float64 {
	list := make([]float64, len(r[name]))
	for i := range list {
		list[i] = r[name][i].CPUNanos / r[by][i].CPUNanos
	}
	return median(list, func(x float64) float64 { return x })
}

func median[T any](list []T, value func(T) float64) float64 {
	values := make([]float64, 0, len(list))
	for _, x := range list {
		values = append(values, value(x))
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// progress writes one line over the last one, on a terminal only.
func progress(format string, args ...any) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K"+format, args...)
	}
}
