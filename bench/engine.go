package main

import (
	"context"
	"fmt"

	"verdict/bench/board"
	"verdict/bench/measure"
)

// contestEngine measures deciding and compiling.
func contestEngine(ctx context.Context, o measure.Options) (s board.Section, err error) {
	measure.Progress("engine, everybody decides the book")
	if err := agree(); err != nil {
		return s, err
	}
	// Each peer runs in the faster of its two ways.
	trial, err := measure.All(ctx, []string{exprMany, exprOne, celMany, celOne}, measure.Options{Rounds: min(o.Rounds, 3), Budget: o.Budget / 2})
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
		compileOurs, analyseAlone, compileExprs, compileCELs, compileOPA,
	}
	for _, rules := range growthSizes {
		names = append(names, growthName(rules), compileName(rules))
	}
	if t.Results, err = measure.All(ctx, names, o); err != nil {
		return s, err
	}
	return t.section(o), nil
}

// engineTable is what was found, and the peers' variants that were faster.
type engineTable struct {
	measure.Results
	expr, cel string
}

func (t *engineTable) section(o measure.Options) board.Section {
	s := board.Section{
		Name: "engine", Title: "Deciding and compiling",
		Note: fmt.Sprintf("%d applicants, one policy of %d knockouts, %d factors and %d bands; %d rounds; CPU time of one, medians; ratios within a round.",
			applicantCount, ruleCount, factorCount, len(bands), o.Rounds),
		Tables: []board.Table{t.deciding(), t.growth()},
		Remarks: []string{fmt.Sprintf("Everybody prices with the same functions: limits and offers alone are %s of each time. "+
			"Of a program for every rule (many) and one for all (one) the faster is shown: %s, %s.", t.Nanos(offersAlone).Show(board.Nanos), t.expr, t.cel)},
	}
	t.targets(&s)
	return s
}

func (t *engineTable) deciding() board.Table {
	table := board.Table{Head: []string{"work", "CPU time", "least – most", "its time by ours", "without pricing", "allocations"}}
	row := func(what, name, by string) {
		cells := []string{what, t.Nanos(name).Show(board.Nanos), t.Nanos(name).Between(board.Nanos), "", "", t.Allocs(name).Show(board.Count)}
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
	row("read, check, analyse and compile, ours", compileOurs, "")
	row("  of it the analysis", analyseAlone, "")
	row("  expr, its texts alone", compileExprs, compileOurs)
	row("  cel-go, its texts alone", compileCELs, compileOurs)
	row("  OPA, its text alone", compileOPA, compileOurs)
	return table
}

// net is Ratio without the offer arithmetic on either side.
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
		table.Add(fmt.Sprint(rules), board.Nanos(decide), board.Nanos(decide/float64(rules)), board.Nanos(compile), board.Nanos(compile/float64(rules)))
	}
	return table
}

func (t *engineTable) targets(s *board.Section) {
	const decide = "decide in full"
	s.AtMost(decide, "4 × hand-written Go", t.Ratio(oursPrepared, byHand), 4, board.Times)
	s.AtLeast(decide, "10 × faster than expr", t.Ratio(t.expr, oursPrepared), 10, board.Times)
	s.AtLeast(decide, "20 × faster than cel-go", t.Ratio(t.cel, oursPrepared), 20, board.Times)
	s.AtMost(decide, "0 allocations", board.Of(t.Allocs(oursPrepared).Median), 0.01, board.Count)
	s.AtMost("compile and check for activation", "200 µs", t.Nanos(compileOurs), 200e3, board.Nanos)
	// What a rule costs beyond the fixed part of a decision must not rise.
	few, many := growthSizes[0], growthSizes[2]
	a, b := t.Nanos(growthName(few)), t.Nanos(growthName(many))
	s.AtMost(fmt.Sprintf("decide, %d rules instead of %d", many, few), fmt.Sprintf("%d × the time, so linear", many/few),
		board.Of(b.Median/a.Median), float64(many/few), board.Times)
}
