package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"verdict/bench/board"
	"verdict/bench/evaluate"
	"verdict/bench/fraud"
	"verdict/bench/growth"
	"verdict/bench/measure"
	"verdict/bench/service"
)

// section is a part of the scoreboard that can be measured alone.
type section struct {
	name, about string
	contest     func(ctx context.Context, s *settings) (board.Section, error)
}

func sections() []section {
	return []section{
		{"engine", "deciding and compiling", func(ctx context.Context, s *settings) (board.Section, error) {
			return contestEngine(ctx, s.measure())
		}},
		{"evaluate", "a large evaluate request", func(ctx context.Context, s *settings) (board.Section, error) {
			return evaluate.Contest(ctx, s.measure())
		}},
		{"prover", "comparing two policies for all applicants", contestProver},
		{"service", "the service over HTTP", contestService},
		{"csv", "a backtest of a file", contestCSV},
		{"fraud", "a fraud block after few and after many observations", contestFraud},
		{"growth", "stored decisions, tenants, nodes and the process", contestGrowth},
	}
}

func contestService(ctx context.Context, s *settings) (board.Section, error) {
	return service.Contest(ctx, service.Options{
		Rounds:      s.rounds,
		Warm:        s.warm,
		Lap:         s.lap,
		Connections: s.connections,
		Only:        s.only,
		Profiles:    s.profiles,
	})
}

func contestFraud(ctx context.Context, s *settings) (board.Section, error) {
	return fraud.Contest(ctx, fraud.Options{
		Few:      10_000,
		Many:     s.observations,
		Rounds:   s.rounds,
		Requests: s.requests,
	})
}

func contestGrowth(ctx context.Context, s *settings) (board.Section, error) {
	return growth.Contest(ctx, growth.Options{
		Decisions:   s.decisions,
		Tenants:     s.tenants,
		Rounds:      s.rounds,
		Requests:    s.requests,
		Activations: s.activations,
		Starts:      s.starts,
		Idle:        s.idle,
	})
}

// scale holds the sizes of the inputs and the durations of the measurements.
type scale struct {
	rounds       int
	budget       time.Duration
	warm, lap    time.Duration
	rows, most   int // rows of the usual file and of the largest file
	observations int
	decisions    int
	tenants      int
	requests     int
	activations  int
	starts       int
	idle         time.Duration
}

func normalScale() scale {
	return scale{
		rounds:       5,
		budget:       200 * time.Millisecond,
		warm:         500 * time.Millisecond,
		lap:          2 * time.Second,
		rows:         1_000_000,
		most:         10_000_000,
		observations: 1_000_000,
		decisions:    1_000_000,
		tenants:      20_000,
		requests:     200,
		activations:  20,
		starts:       5,
		idle:         2 * time.Second,
	}
}

func quickScale() scale {
	return scale{
		rounds:       2,
		budget:       50 * time.Millisecond,
		warm:         200 * time.Millisecond,
		lap:          500 * time.Millisecond,
		rows:         100_000,
		most:         1_000_000,
		observations: 100_000,
		decisions:    60_000,
		tenants:      300,
		requests:     50,
		activations:  4,
		starts:       2,
		idle:         500 * time.Millisecond,
	}
}

func longScale() scale {
	s := normalScale()
	s.most, s.observations, s.decisions = 100_000_000, 10_000_000, 5_000_000
	return s
}

func (s *settings) measure() measure.Options {
	return measure.Options{Rounds: s.rounds, Budget: s.budget}
}

// contestCSV builds and runs a separate program that measures backtests. DuckDB
// needs a C compiler, and is so large that it would slow down every contestant in
// the same program.
func contestCSV(ctx context.Context, s *settings) (found board.Section, err error) {
	folder, err := os.MkdirTemp("", "verdict-bench-")
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	measure.Progress("building the program with DuckDB")
	program := filepath.Join(folder, "csv")
	//nolint:gosec // The path is in the temporary folder made above.
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "verdict/bench/csv")
	if out, err := build.CombinedOutput(); err != nil {
		return found, fmt.Errorf("build the program: %w: %s", err, out)
	}
	//nolint:gosec // The program was built above.
	cmd := exec.CommandContext(ctx, program, "-json",
		"-rounds", strconv.Itoa(s.rounds), "-rows", strconv.Itoa(s.rows), "-most", strconv.Itoa(s.most))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return found, fmt.Errorf("run the program: %w", err)
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return found, fmt.Errorf("read the results of the program: %w", err)
	}
	return found, nil
}
