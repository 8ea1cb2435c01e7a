package main

import (
	"fmt"

	"verdict/bench/board"
)

// table holds all measurements.
type table struct {
	o       options
	entries []entry
	laps    map[entry][]*lap
	growth  []length
	tenths  []*lap // backtests with a tenth of the rows of the longest one, before and after it
}

// perSecond returns millions of rows per second of CPU time.
func perSecond(l *lap) float64 { return float64(l.Outcome.rows()) / l.CPU.Seconds() / 1e6 }

// speed returns millions of rows per second of elapsed time.
func speed(l *lap) float64 { return float64(l.Outcome.rows()) / l.Wall.Seconds() / 1e6 }

func peak(l *lap) float64 { return float64(l.PeakBytes) }

func (t *table) values(e entry, of func(*lap) float64) (values []float64) {
	for _, l := range t.laps[e] {
		values = append(values, of(l))
	}
	return values
}

func (t *table) of(e entry, of func(*lap) float64) board.Spread { return board.Of(t.values(e, of)...) }

func (t *table) ratio(e, by entry, of func(*lap) float64) board.Spread {
	return board.Quotients(t.values(e, of), t.values(by, of))
}

func (t *table) section() board.Section {
	s := board.Section{
		Name: "csv", Title: "A backtest of a file",
		Note: fmt.Sprintf("%d rows of %d columns, %d knockouts, 12 factors, %d bands; %d rounds; medians; "+
			"ratios within a round.",
			t.o.rows, len(columns), rules, grades, t.o.rounds),
		Tables: []board.Table{t.speeds(), t.lengths()},
		Remarks: []string{"Our backtest prices every row, finds its reasons and makes the whole report; " +
			"the others only count. All produce the same counts. The long backtests repeat the rows of the file."},
	}
	if !hasDuck {
		s.Remarks = append(s.Remarks, "DuckDB is left out: it needs a C compiler.")
	}
	t.targets(&s)
	return s
}

func (t *table) speeds() board.Table {
	out := board.Table{Head: []string{
		"backtest of a file", "M rows a CPU-second", "least – most", "M rows a second", "peak", "our rate ÷ its",
	}}
	for _, e := range t.entries {
		name := "  " + e.name
		if e.name == nameOurs {
			name = fmt.Sprintf("on %d core(s), ours", e.cores)
		}
		if e.name == nameHand {
			name = "  by hand (the limit)"
		}
		rate := t.of(e, perSecond)
		out.Add(name, rate.Show(board.Plain), rate.Between(board.Plain), t.of(e, speed).Show(board.Plain),
			t.of(e, peak).Show(board.Mebibytes), t.ratio(entry{nameOurs, e.cores}, e, perSecond).Text(board.Times))
	}
	return out
}

func (t *table) lengths() board.Table {
	out := board.Table{Head: []string{"rows, on two cores", "time", "peak", "a million rows"}}
	for _, g := range t.growth {
		out.Add(fmt.Sprint(g.rows), board.Nanos(float64(g.lap.Wall)), board.Mebibytes(peak(g.lap)),
			board.Nanos(float64(g.lap.Wall)/float64(g.rows)*1e6))
	}
	return out
}

func (t *table) targets(s *board.Section) {
	const work = "backtest of a file"
	one, two := entry{nameOurs, 1}, entry{nameOurs, 2}
	s.AtLeast(work, "0.55 of the limit's rate", t.ratio(one, entry{nameHand, 1}, perSecond), 0.55, board.Plain)
	s.AtLeast(work, "1.8 × DuckDB", t.ratio(one, entry{nameDuck, 1}, perSecond), 1.8, board.Times)
	s.AtLeast(work+" on two cores", "1.7 × one core", t.ratio(two, one, speed), 1.7, board.Times)
	if len(t.growth) < 2 {
		return
	}
	last := t.growth[len(t.growth)-1]
	s.AtMost(fmt.Sprintf("backtest of %d rows", last.rows), "256 MiB",
		board.Of(peak(last.lap)), 256<<20, board.Mebibytes)
	if len(t.tenths) == 0 {
		return
	}
	// Short backtests spend most of their time on starting, so compare with a
	// tenth of the longest backtest.
	tenth := t.growth[len(t.growth)-2]
	ratios := make([]float64, len(t.tenths))
	for i, l := range t.tenths {
		ratios[i] = float64(last.lap.CPU) / float64(l.CPU)
	}
	s.AtMost(fmt.Sprintf("backtest of %d rows instead of %d", last.rows, tenth.rows), "11 × the CPU time, so linear",
		board.Of(ratios...), 11, board.Times)
}
