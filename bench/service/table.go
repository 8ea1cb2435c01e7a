package service

import (
	"fmt"
	"math"
	"runtime"

	"verdict/bench/board"
)

// results holds the laps of every contestant, by name, in the order of the rounds.
type results map[string][]lap

// values returns a value of a contestant for each round. It leaves out rounds in
// which the value was not measured.
func (r results) values(name string, value func(lap) float64) []float64 {
	values := make([]float64, 0, len(r[name]))
	for _, l := range r[name] {
		if x := value(l); x > 0 { // 0 means not measured
			values = append(values, x)
		}
	}
	return values
}

func (r results) of(name string, value func(lap) float64) board.Spread {
	return board.Of(r.values(name, value)...)
}

// ratio returns a contestant's value divided by the value of another contestant in
// the same round.
func (r results) ratio(name, by string, value func(lap) float64) board.Spread {
	return board.Quotients(r.values(name, value), r.values(by, value))
}

func rate(l lap) float64      { return float64(l.many.Counted) / l.many.Elapsed.Seconds() }
func p50(l lap) float64       { return float64(l.many.P50) }
func p99(l lap) float64       { return float64(l.many.P99) }
func p50Alone(l lap) float64  { return float64(l.alone.P50) }
func cpu(l lap) float64       { return float64(l.many.Server) / float64(l.many.Counted) }
func cpuStored(l lap) float64 { return float64(l.many.Database) / float64(l.many.Counted) }

func (r results) section(o Options) board.Section {
	s := board.Section{
		Name: "service", Title: "The service over HTTP",
		Note: fmt.Sprintf("%d cores for server, database and load together; %d connections; %d rounds of %s; medians; "+
			"ratios within a round.",
			runtime.NumCPU(), o.Connections, o.Rounds, o.Lap),
	}
	t := board.Table{Head: []string{
		"service", "answers/s", "least – most", "of bare", "p50", "p99", "p50 alone", "CPU", "database's CPU",
	}}
	for _, line := range []struct{ name, what, by string }{
		{bareDecisions, "bare net/http and encoding/json, nothing stored", bareDecisions},
		{oursSQLite, "durable decision on SQLite, ours", bareDecisions},
		{groupSQLite, "  bare, one INSERT each, grouped commits (the limit)", bareDecisions},
		{insertSQLite, "  bare, one INSERT a transaction", bareDecisions},
		{oursPostgres, "durable decision on PostgreSQL, ours", bareDecisions},
		{copyPostgres, "  bare, grouped COPY (the limit)", bareDecisions},
		{insertPostgres, "  bare, one INSERT a request", bareDecisions},
		{oursPreview, "preview, ours", barePreview},
		{barePreview, "  bare net/http and encoding/json (the limit)", barePreview},
		{strictPreview, "  bare, as oapi-codegen writes a strict server", barePreview},
		{humaPreview, "  bare, on huma", barePreview},
	} {
		if r[line.name] == nil {
			continue
		}
		rates := r.of(line.name, rate)
		t.Add(
			line.what,
			rates.Show(board.Whole),
			rates.Between(board.Whole),
			r.ratio(line.name, line.by, rate).Show(board.Plain),
			r.of(line.name, p50).Show(board.Nanos),
			r.of(line.name, p99).Show(board.Nanos),
			r.of(line.name, p50Alone).Show(board.Nanos),
			r.of(line.name, cpu).Show(board.Nanos),
			r.of(line.name, cpuStored).Show(board.Nanos),
		)
	}
	s.Tables = []board.Table{t}
	r.targets(&s)
	return s
}

func (r results) targets(s *board.Section) {
	const onSQLite = "durable decision, SQLite"
	s.AtLeast(onSQLite, "0.75 of the limit's rate", r.ratio(oursSQLite, groupSQLite, rate), 0.75, board.Plain)
	s.AtMost(onSQLite+", one connection", "1.8 × the limit's median",
		r.ratio(oursSQLite, groupSQLite, p50Alone), 1.8, board.Times)
	const onPostgres = "durable decision, PostgreSQL"
	s.AtLeast(onPostgres, "0.72 of the limit's rate", r.ratio(oursPostgres, copyPostgres, rate), 0.72, board.Plain)
	s.AtMost(onPostgres+", one connection", "2 × the limit's median",
		r.ratio(oursPostgres, copyPostgres, p50Alone), 2, board.Times)
	s.AtMost("preview", "1.15 × the bare handler's CPU", r.ratio(oursPreview, barePreview, cpu), 1.15, board.Times)
	if huma := r.ratio(humaPreview, oursPreview, cpu); !math.IsNaN(huma.Median) {
		s.Remarks = append(s.Remarks, fmt.Sprintf(
			"CPU time of a preview: huma takes %s ours and the strict server %s, and neither makes a decision.",
			huma.Text(board.Times), r.ratio(strictPreview, oursPreview, cpu).Text(board.Times)))
	}
}
