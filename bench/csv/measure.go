package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"verdict/bench/measure"
	"verdict/internal/app"
)

// The names of the contestants.
const (
	nameOurs  = "ours"
	nameHand  = "limit"
	nameLoop  = "encoding/csv"
	nameArrow = "arrow-go"
	nameDuck  = "DuckDB"
)

// input is the file that a contestant reads, and the number of cores it uses.
type input struct {
	path  string
	cores int
	times int // how often our backtest reads the rows, in succession
}

var contestants = map[string]func(ctx context.Context, in input) (*outcome, error){
	nameOurs:  ours,
	nameHand:  hand,
	nameLoop:  loop,
	nameArrow: byArrow,
	nameDuck:  duck,
}

// lap is one run of a contestant over the file.
type lap struct {
	CPU, Wall time.Duration
	PeakBytes int64
	Outcome   outcome
}

// measureHere measures a contestant in this process, with the service's setting of the
// garbage collector. The CPU time includes all threads, but not the start of the process.
func measureHere(ctx context.Context, name string, in input) (*lap, error) {
	work, ok := contestants[name]
	if !ok {
		return nil, fmt.Errorf("unknown contestant %q", name)
	}
	runtime.GOMAXPROCS(in.cores)
	debug.SetGCPercent(app.HeapGrowth)
	before, start := usage(), time.Now()
	o, err := work(ctx, in)
	if err != nil {
		return nil, err
	}
	after := usage()
	return &lap{
		CPU:       time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()),
		Wall:      time.Since(start),
		PeakBytes: after.Maxrss << 10,
		Outcome:   *o,
	}, nil
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // impossible: both arguments are valid
	}
	return u
}

// measureChild measures a contestant in a separate process. If taskset is installed, the
// process is pinned to the cores it may use, so that the threads of DuckDB and our garbage
// collector use no other cores.
func measureChild(ctx context.Context, name string, in input) (*lap, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	args := measure.Pinned([]string{
		self,
		"-only", name,
		"-file", in.path,
		"-cores", strconv.Itoa(in.cores),
		"-times", strconv.Itoa(max(in.times, 1)),
	}, in.cores)
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
