// Package measure measures the CPU time and the allocations of contestants, each in a
// separate process and in turns.
package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"verdict/bench/board"
	"verdict/internal/app"
)

// Contestant is a program to measure. Start prepares everything that is not measured. It
// returns a function that does one unit of work, and the number of its inputs.
type Contestant struct {
	Name  string
	Start func() (work func(i int), count int)
}

// Sample is one measurement of one contestant, for one unit of work.
type Sample struct {
	CPUNanos  float64
	Allocs    float64
	PeakBytes float64 // largest memory of the process
}

// Here measures a contestant in this process. It makes one pass over the inputs to warm
// up, then more passes until the budget of CPU time is used up.
//
// It measures CPU time because the machine is shared, and the time of other processes must
// not count. It measures the CPU time of the whole process, which includes garbage
// collection. All contestants have the service's setting of the garbage collector.
func Here(c Contestant, budget time.Duration) Sample {
	debug.SetGCPercent(app.HeapGrowth)
	work, count := c.Start()
	pass := func() {
		for i := range count {
			work(i)
		}
	}
	pass()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	passes, start := 0, CPUTime()
	var used time.Duration
	for used < budget {
		pass()
		passes++
		used = CPUTime() - start
	}
	runtime.ReadMemStats(&after)
	units := float64(passes * count)
	return Sample{
		CPUNanos:  float64(used.Nanoseconds()) / units,
		Allocs:    float64(after.Mallocs-before.Mallocs) / units,
		PeakBytes: float64(usage().Maxrss << 10),
	}
}

// CPUTime returns the CPU time of all threads of this process.
func CPUTime() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // impossible: both arguments are valid
	}
	return u
}

// Options sets how often and for how long to measure.
type Options struct {
	Rounds int
	Budget time.Duration // CPU time of one measurement
	// Programs maps the name of each contestant that is not in this program to the path of its program.
	Programs map[string]string
}

// Results holds the samples of every contestant, by name, in the order of the rounds.
type Results map[string][]Sample

// All runs the rounds. Each round measures every contestant once, so that a temporary
// slowdown of the machine affects all of them.
func All(ctx context.Context, names []string, o Options) (Results, error) {
	r := Results{}
	for round := range o.Rounds {
		for i, name := range names {
			Progress("round %d of %d, %d of %d: %s", round+1, o.Rounds, i+1, len(names), name)
			s, err := child(ctx, o.Programs[name], name, o.Budget)
			if err != nil {
				return nil, err
			}
			r[name] = append(r[name], s)
		}
	}
	Progress("")
	return r, nil
}

// child measures a contestant in a separate process, so that contestants do not share a
// heap, caches or garbage. If taskset is installed, the process runs on one core.
func child(ctx context.Context, program, name string, budget time.Duration) (s Sample, err error) {
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return s, fmt.Errorf("find the program itself: %w", err)
		}
	}
	args := Pinned([]string{program, "-only", name, "-budget", budget.String()}, 1)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // The program runs itself.
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

// Pinned returns a command that runs args on the last cores that this process may use. If
// taskset is not installed, it returns args.
func Pinned(args []string, cores int) []string {
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		return args
	}
	return append([]string{taskset, "-c", strings.Join(allowed(cores), ",")}, args...)
}

func allowed(n int) (cores []string) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return []string{"0"}
	}
	_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ = strings.Cut(strings.TrimSpace(list), "\n")
	for part := range strings.SplitSeq(list, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil {
			return []string{"0"}
		}
		for core := from; core <= to; core++ {
			cores = append(cores, strconv.Itoa(core))
		}
	}
	return cores[max(0, len(cores)-n):]
}

// Nanos returns the CPU time of a contestant for one unit of work.
func (r Results) Nanos(name string) board.Spread {
	return board.Of(r.values(name, func(s Sample) float64 { return s.CPUNanos })...)
}

// Allocs returns the number of allocations of a contestant for one unit of work.
func (r Results) Allocs(name string) board.Spread {
	return board.Of(r.values(name, func(s Sample) float64 { return s.Allocs })...)
}

// Peak returns the largest memory of a contestant's process in bytes.
func (r Results) Peak(name string) board.Spread {
	return board.Of(r.values(name, func(s Sample) float64 { return s.PeakBytes })...)
}

// Ratio returns a contestant's CPU time divided by the CPU time of another contestant in
// the same round.
func (r Results) Ratio(name, by string) board.Spread {
	nanos := func(s Sample) float64 { return s.CPUNanos }
	return board.Quotients(r.values(name, nanos), r.values(by, nanos))
}

func (r Results) values(name string, of func(Sample) float64) []float64 {
	values := make([]float64, 0, len(r[name]))
	for _, s := range r[name] {
		values = append(values, of(s))
	}
	return values
}

// Progress replaces the last line of the terminal. It writes nothing if standard error is
// not a terminal.
func Progress(format string, args ...any) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K"+format, args...)
	}
}
