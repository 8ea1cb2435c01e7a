package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

type options struct {
	rows, rounds int
	long         bool
}

// entry is a contestant on so many cores.
type entry struct {
	name  string
	cores int
}

// contest writes the file, has everybody read it in turns, and prints the
// table.
func contest(ctx context.Context, out io.Writer, o options) (err error) {
	folder, err := os.MkdirTemp("", "verdict-bench-csv")
	if err != nil {
		return fmt.Errorf("make a folder for the file: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // It is the system's folder for such things.
	path := filepath.Join(folder, "book.csv")
	if err := writeBook(path, o.rows); err != nil {
		return err
	}
	entries := []entry{{nameOurs, 1}, {nameHand, 1}, {nameLoop, 1}, {nameDuck, 1}}
	if runtime.NumCPU() > 1 {
		entries = append(entries, entry{nameOurs, 2}, entry{nameHand, 2}, entry{nameDuck, 2})
	}
	if !hasDuck {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.name == nameDuck })
	}
	laps := map[entry][]*lap{}
	for round := range max(o.rounds, 1) {
		for _, e := range entries {
			progress("round %d of %d: %s on %d", round+1, o.rounds, e.name, e.cores)
			l, err := measureChild(ctx, e.name, path, e.cores)
			if err != nil {
				return err
			}
			if first := laps[entries[0]]; len(first) > 0 && l.Outcome != first[0].Outcome {
				return fmt.Errorf("%s comes to other counts than ours:\n%+v\n%+v", e.name, l.Outcome, first[0].Outcome)
			}
			laps[e] = append(laps[e], l)
		}
	}
	progress("")
	t := table{o: o, entries: entries, laps: laps, bytes: size(path)}
	if err := t.measureMemory(ctx, folder); err != nil {
		return err
	}
	_, err = io.WriteString(out, t.String())
	return err
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// measureMemory has ours read files of other lengths.
func (t *table) measureMemory(ctx context.Context, folder string) error {
	lengths := []int{100_000, 1_000_000}
	if t.o.long {
		lengths = append(lengths, 20_000_000)
	}
	for _, rows := range lengths {
		progress("memory at %d rows", rows)
		path := filepath.Join(folder, "memory.csv")
		if err := writeBook(path, rows); err != nil {
			return err
		}
		l, err := measureChild(ctx, nameOurs, path, 2)
		if err != nil {
			return err
		}
		t.memory = append(t.memory, memory{rows: rows, lap: l})
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove a file: %w", err)
		}
	}
	progress("")
	return nil
}

// progress writes one line over the last one, on a terminal only.
func progress(format string, args ...any) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K"+format, args...)
	}
}

// table is what was measured.
type table struct {
	o       options
	bytes   int64
	entries []entry
	laps    map[entry][]*lap
	memory  []memory
}

type memory struct {
	rows int
	lap  *lap
}

// perSecond is rows of a lap by CPU-second, in millions; speed those by second.
func perSecond(l *lap) float64 { return float64(l.Outcome.rows()) / l.CPU.Seconds() / 1e6 }
func speed(l *lap) float64     { return float64(l.Outcome.rows()) / l.Wall.Seconds() / 1e6 }
func peak(l *lap) float64      { return float64(l.PeakBytes) / (1 << 20) }

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	if n == 0 {
		return 0
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

func (t *table) median(e entry, of func(*lap) float64) float64 {
	var values []float64
	for _, l := range t.laps[e] {
		values = append(values, of(l))
	}
	return median(values)
}

// ratio is the median of the ratios within each round: what slows a whole round
// down cancels out.
func (t *table) ratio(e, by entry, of func(*lap) float64) float64 {
	var values []float64
	for i, l := range t.laps[e] {
		values = append(values, of(l)/of(t.laps[by][i]))
	}
	return median(values)
}

// String is the table with the targets.
func (t *table) String() string {
	var b strings.Builder
	one, two := entry{nameOurs, 1}, entry{nameOurs, 2}
	fmt.Fprintf(&b, "%s %s/%s, %d rounds, %d rows × %d columns, %.0f MB; medians\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		t.o.rounds, t.o.rows, len(columns), float64(t.bytes)/1e6)
	fmt.Fprintf(&b, "%-24s %20s %18s %10s %12s\n", "backtest of a file", "M rows a CPU-second", "M rows a second", "peak MiB", "ours by it")
	for _, e := range t.entries {
		fmt.Fprintf(&b, "%-24s %20.2f %18.2f %10.0f %11.2f×\n", fmt.Sprintf("%s, %d core(s)", e.name, e.cores),
			t.median(e, perSecond), t.median(e, speed), t.median(e, peak), t.ratio(entry{nameOurs, e.cores}, e, perSecond))
	}
	b.WriteString("\nmemory of ours, two cores\n")
	for _, m := range t.memory {
		fmt.Fprintf(&b, "%12d rows %8.0f MiB %8.2f s\n", m.rows, peak(m.lap), m.lap.Wall.Seconds())
	}
	b.WriteString("\ntargets\n")
	line := func(met bool, format string, args ...any) {
		mark := "MISSED"
		if met {
			mark = "met"
		}
		fmt.Fprintf(&b, "  %-6s  %s\n", mark, fmt.Sprintf(format, args...))
	}
	line(t.median(one, perSecond) >= 1.2, "at least 1.2 M rows a CPU-second: %.2f", t.median(one, perSecond))
	if hasDuck {
		by := t.ratio(one, entry{nameDuck, 1}, perSecond)
		line(by >= 2, "at least 2 × DuckDB: %.2f", by)
	}
	if len(t.laps[two]) > 0 {
		by := t.ratio(two, one, speed)
		line(by >= 1.7, "at least 1.7 × on two cores: %.2f", by)
	}
	first, last := peak(t.memory[0].lap), peak(t.memory[len(t.memory)-1].lap)
	line(last <= 256 && last <= 1.5*first, "constant memory, at most 256 MiB: %.0f, then %.0f", first, last)
	return b.String()
}
