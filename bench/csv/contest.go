package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"verdict/bench/measure"

	"verdict/bench/board"
)

type options struct {
	rows, rounds int
	most         int // number of rows of the longest backtest
}

// entry is a contestant with a number of cores.
type entry struct {
	name  string
	cores int
}

// contest writes the file and measures all contestants with it, in turns.
func contest(ctx context.Context, o options) (s board.Section, err error) {
	folder, err := os.MkdirTemp("", "verdict-bench-csv")
	if err != nil {
		return s, fmt.Errorf("make a folder for the file: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // The folder is in the system's temporary folder.
	path := filepath.Join(folder, "book.csv")
	if err := writeBook(path, o.rows); err != nil {
		return s, err
	}
	entries := []entry{{nameOurs, 1}, {nameHand, 1}, {nameLoop, 1}, {nameArrow, 1}, {nameDuck, 1}}
	if runtime.NumCPU() > 1 {
		entries = append(entries, entry{nameOurs, 2}, entry{nameHand, 2}, entry{nameDuck, 2})
	}
	if !hasDuck {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.name == nameDuck })
	}
	laps := map[entry][]*lap{}
	for round := range max(o.rounds, 1) {
		for _, e := range entries {
			measure.Progress("backtest, round %d of %d: %s on %d", round+1, o.rounds, e.name, e.cores)
			l, err := measureChild(ctx, e.name, input{path: path, cores: e.cores})
			if err != nil {
				return s, err
			}
			if first := laps[entries[0]]; len(first) > 0 && l.Outcome != first[0].Outcome {
				return s, fmt.Errorf("the counts of %s differ from ours:\n%+v\n%+v",
					e.name, l.Outcome, first[0].Outcome)
			}
			laps[e] = append(laps[e], l)
		}
	}
	t := table{o: o, entries: entries, laps: laps}
	if t.growth, t.tenths, err = grow(ctx, o, folder, path); err != nil {
		return s, err
	}
	measure.Progress("")
	return t.section(), nil
}

// length is a backtest of a certain number of rows, with its measurement.
type length struct {
	rows int
	lap  *lap
}

// grow measures our backtest on files of other lengths. It writes short files; long files repeat the rows of
// the usual file. The longest backtest takes minutes, during which the speed of the machine may change. tenths
// are ten backtests with a tenth of the rows each: five before the longest backtest and five after it. Together
// they take as long as the longest backtest.
func grow(ctx context.Context, o options, folder, path string) (list []length, tenths []*lap, err error) {
	add := func(rows int) error {
		l, err := growTo(ctx, o, folder, path, rows)
		if rows*10 == o.most {
			tenths = append(tenths, l)
		}
		if len(list) == 0 || rows > list[len(list)-1].rows {
			list = append(list, length{rows, l})
		}
		return err
	}
	for rows := 10_000; rows <= o.most; rows *= 10 {
		for range o.times(rows) {
			if err := add(rows); err != nil {
				return nil, nil, err
			}
		}
	}
	for range o.times(o.most / 10) {
		if err := add(o.most / 10); err != nil {
			return nil, nil, err
		}
	}
	return list, tenths, nil
}

// times returns how often a backtest of this length is measured in succession.
func (o options) times(rows int) int {
	if rows*10 == o.most {
		return 5
	}
	return 1
}

func growTo(ctx context.Context, o options, folder, path string, rows int) (*lap, error) {
	measure.Progress("backtest of %d rows", rows)
	in := input{path: path, cores: min(2, runtime.NumCPU()), times: rows / o.rows}
	if rows%o.rows != 0 {
		in.path, in.times = filepath.Join(folder, "short.csv"), 1
		if err := writeBook(in.path, rows); err != nil {
			return nil, err
		}
	}
	l, err := measureChild(ctx, nameOurs, in)
	if err != nil {
		return nil, err
	}
	if n := l.Outcome.rows(); n != int64(rows) {
		return nil, fmt.Errorf("a backtest of %d rows counted %d", rows, n)
	}
	return l, nil
}
