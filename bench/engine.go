package main

import (
	"context"
	"fmt"

	"verdict/bench/board"
	"verdict/bench/measure"
)

// contestEngine measures deciding and compiling.
func contestEngine(ctx context.Context, o measure.Options) (s board.Section, err error) {
	measure.Progress("engine: comparing the decisions of all contestants")
	if err := agree(); err != nil {
		return s, err
	}
	// Show only the faster variant of expr and of cel-go.
	variants := []string{exprMany, exprOne, celMany, celOne}
	trial, err := measure.All(ctx, variants, measure.Options{Rounds: min(o.Rounds, 3), Budget: o.Budget / 2})
	if err != nil {
		return s, err
	}
	faster := func(a, b string) string {
		if trial.Nanos(a).Median < trial.Nanos(b).Median {
			return a
		}
		return b
	}
	t := engineTable{expr: faster(exprMany, exprOne), cel: faster(celMany, celOne)}
	names := []string{
		oursPrepared, byHand, t.expr, t.cel, celConverted, jsonLogic, opa, oursBuilding, oursHalf, offersAlone,
		loadOurs, compileOurs, analyseAlone, compileExprs, compileCELs, compileOPA,
	}
	for _, rules := range growthSizes {
		names = append(names, growthName(rules), compileName(rules))
	}
	if t.Results, err = measure.All(ctx, names, o); err != nil {
		return s, err
	}
	return t.section(o), nil
}

// engineTable holds the results, and the names of the faster variants of expr
// and of cel-go.
type engineTable struct {
	measure.Results
	expr, cel string
}

func (t *engineTable) section(o measure.Options) board.Section {
	s := board.Section{
		Name: "engine", Title: "Deciding and compiling",
		Note: fmt.Sprintf("%d applicants, one policy of %d knockouts, %d factors and %d bands; %d rounds; "+
			"medians of the CPU time for one; ratios within a round.",
			applicantCount, ruleCount, factorCount, len(bands), o.Rounds),
		Tables: []board.Table{t.deciding(), t.growth()},
		Remarks: []string{fmt.Sprintf("All contestants price with the same functions: limits and offers alone take %s "+
			"of each time. Of the two variants of a peer, a program for every rule (many) and one program for all "+
			"rules (one), the faster is shown: %s, %s.",
			t.Nanos(offersAlone).Show(board.Nanos), t.expr, t.cel)},
	}
	t.targets(&s)
	return s
}

func (t *engineTable) deciding() board.Table {
	table := board.Table{Head: []string{
		"work", "CPU time", "least – most", "its time ÷ ours", "without pricing", "allocations",
	}}
	row := func(what, name, by string) {
		nanos := t.Nanos(name)
		cells := []string{
			what, nanos.Show(board.Nanos), nanos.Between(board.Nanos), "", "", t.Allocs(name).Show(board.Count),
		}
		if by != "" {
			cells[3] = t.Ratio(name, by).Text(board.Times)
		}
		if by == oursPrepared {
			cells[4] = t.net(name, by).Show(board.Times)
		}
		table.Add(cells...)
	}
	row("decide in full, ours", oursPrepared, "")
	row("  by hand for this one policy (the limit)", byHand, oursPrepared)
	row("  expr", t.expr, oursPrepared)
	row("  cel-go", t.cel, oursPrepared)
	row("  cel-go, values converted beforehand", celConverted, oursPrepared)
	row("  json-logic", jsonLogic, oursPrepared)
	row("  OPA", opa, oursPrepared)
	row("decide, facts built from a struct first, ours", oursBuilding, "")
	row("decide, half of the optional fields absent, ours", oursHalf, "")
	row("load a stored policy: read, check and compile, ours", loadOurs, "")
	row("read, check, analyse and compile, ours", compileOurs, "")
	row("  the analysis alone", analyseAlone, "")
	row("  expr, compiling its texts", compileExprs, compileOurs)
	row("  cel-go, compiling its texts", compileCELs, compileOurs)
	row("  OPA, compiling its text", compileOPA, compileOurs)
	return table
}

// net returns the ratio of two times after subtracting the time for limits and
// offers from both times.
func (t *engineTable) net(name, by string) board.Spread {
	var values, others []float64
	for i := range t.Results[name] {
		offers := t.Results[offersAlone][i].CPUNanos
		values = append(values, t.Results[name][i].CPUNanos-offers)
		others = append(others, t.Results[by][i].CPUNanos-offers)
	}
	return board.Quotients(values, others)
}

func (t *engineTable) growth() board.Table {
	table := board.Table{Head: []string{"rules in a policy", "decide", "a rule", "read and compile", "a rule"}}
	for _, rules := range growthSizes {
		decide, compile := t.Nanos(growthName(rules)).Median, t.Nanos(compileName(rules)).Median
		n := float64(rules)
		table.Add(fmt.Sprint(rules),
			board.Nanos(decide), board.Nanos(decide/n), board.Nanos(compile), board.Nanos(compile/n))
	}
	return table
}

func (t *engineTable) targets(s *board.Section) {
	const decide = "decide in full"
	s.AtMost(decide, "1.8 × hand-written Go", t.Ratio(oursPrepared, byHand), 1.8, board.Times)
	s.AtLeast(decide, "10 × faster than expr", t.Ratio(t.expr, oursPrepared), 10, board.Times)
	s.AtMost(decide, "0 allocations", board.Of(t.Allocs(oursPrepared).Median), 0.01, board.Count)
	s.AtMost("load a stored policy for deciding", "150 µs", t.Nanos(loadOurs), 150e3, board.Nanos)
	s.AtLeast("compile with analysis", "3.5 × faster than expr compiles",
		t.Ratio(compileExprs, compileOurs), 3.5, board.Times)
	// The cost of each further rule must not grow with the number of rules.
	few, many := growthSizes[0], growthSizes[2]
	a, b := t.Nanos(growthName(few)), t.Nanos(growthName(many))
	what := fmt.Sprintf("decide, %d rules instead of %d", many, few)
	s.AtMost(what, fmt.Sprintf("%d × the time, so linear", many/few),
		board.Of(b.Median/a.Median), float64(many/few), board.Times)
}
