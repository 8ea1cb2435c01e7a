package main

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
)

// The contestants.
const (
	nameOurs = "ours"
	nameHand = "limit"
	nameLoop = "encoding/csv"
	nameDuck = "duckdb"
)

var contestants = map[string]func(ctx context.Context, path string, cores int) (*outcome, error){
	nameOurs: ours, nameHand: hand, nameLoop: loop, nameDuck: duck,
}

// lap is one run of one contestant over the file.
type lap struct {
	CPU, Wall time.Duration
	PeakBytes int64
	Outcome   outcome
}

// measureHere runs a contestant in this process. The CPU time is that of all
// threads; starting the process is not in it.
func measureHere(ctx context.Context, name, path string, cores int) (*lap, error) {
	work, ok := contestants[name]
	if !ok {
		return nil, fmt.Errorf("there is no contestant %q", name)
	}
	runtime.GOMAXPROCS(cores)
	before, start := usage(), time.Now()
	o, err := work(ctx, path, cores)
	if err != nil {
		return nil, err
	}
	after := usage()
	return &lap{
		CPU:  time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()),
		Wall: time.Since(start), PeakBytes: after.Maxrss << 10, Outcome: *o,
	}, nil
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot be: both arguments are valid
	}
	return u
}

// measureChild runs a contestant in a process of its own, on as many cores as
// it may use if taskset is there, so that DuckDB's threads and our garbage
// collector have no more than that either.
func measureChild(ctx context.Context, name, path string, cores int) (*lap, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	args := []string{self, "-only", name, "-file", path, "-cores", strconv.Itoa(cores)}
	if taskset, err := exec.LookPath("taskset"); err == nil {
		args = append([]string{taskset, "-c", strings.Join(allowedCores(cores), ",")}, args...)
	}
	//nolint:gosec // The program runs itself.
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", name, err)
	}
	l := new(lap)
	if err := json.Unmarshal(out, l); err != nil {
		return nil, fmt.Errorf("read the measurement of %s: %w", name, err)
	}
	return l, nil
}

// allowedCores are the last few cores that this process may use.
func allowedCores(n int) (cores []string) {
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
