// Package measure takes the CPU time and the allocations of contestants, each
// in a process of its own and in turns.
package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"verdict/bench/board"
)

// Contestant is one thing that is measured. Start prepares all that is not
// measured and returns one unit of work, to be done for each of count inputs.
type Contestant struct {
	Name  string
	Start func() (work func(i int), count int)
}

// Sample is one measurement of one contestant, for one unit of work.
type Sample struct {
	CPUNanos float64
	Allocs   float64
}

// Here measures a contestant in this process: once over its inputs to warm up,
// then over and over until the CPU time is used up.
//
// CPU time, because the machine is shared: it does not count what others take
// away. It is that of the whole process, so that whoever makes garbage pays for
// its collection too.
func Here(c Contestant, budget time.Duration) Sample {
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
		CPUNanos: float64(used.Nanoseconds()) / units,
		Allocs:   float64(after.Mallocs-before.Mallocs) / units,
	}
}

// CPUTime is what all threads of this process have used.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // cannot be: both arguments are valid
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Options say how often and how long to measure.
type Options struct {
	Rounds int
	Budget time.Duration // CPU time of one measurement
	// Programs are other programs than this one for some of the names.
	Programs map[string]string
}

// Results are the samples of every contestant, round by round.
type Results map[string][]Sample

// All runs the rounds. In every round each contestant has its turn, so that a
// slow minute of the machine is everybody's.
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

// child measures a contestant in a process of its own, so that nobody's heap,
// caches or garbage are anybody else's; on one core if taskset is there.
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

// Pinned is a command that runs on the last few cores that this process may
// use, if taskset is there.
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

// Nanos is a contestant's CPU time, Allocs its allocations.
func (r Results) Nanos(name string) board.Spread {
	return board.Of(r.values(name, func(s Sample) float64 { return s.CPUNanos })...)
}

// Allocs is how often a contestant allocates for a unit of work.
func (r Results) Allocs(name string) board.Spread {
	return board.Of(r.values(name, func(s Sample) float64 { return s.Allocs })...)
}

// Ratio is one contestant's time by another's of the same round.
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

// Progress writes one line over the last one, on a terminal only.
func Progress(format string, args ...any) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K"+format, args...)
	}
}
