package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// table is what a contest found.
type table struct {
	results
	rounds    int
	expr, cel string // the peers' variants that were faster
}

func (t *table) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s, %d applicants, %d rounds; CPU time, medians; ratios within a round, medians\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, applicantCount, t.rounds)
	t.work(&b)
	t.growth(&b)
	t.targets(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (t *table) work(b *strings.Builder) {
	row := func(work string, cells ...string) {
		line := fmt.Sprintf("%-46s", work)
		for _, cell := range cells {
			line += fmt.Sprintf(" %11s", cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("work", "ours", "limit", "expr", "cel-go", "ours/limit", "expr/ours", "cel/ours")
	row("decide, the whole decision",
		span(t.nanos(oursPrepared)), span(t.nanos(byHand)), span(t.nanos(t.expr)), span(t.nanos(t.cel)),
		times(t.ratio(oursPrepared, byHand)), times(t.ratio(t.expr, oursPrepared)), times(t.ratio(t.cel, oursPrepared)))
	share := func(name string) string { return fmt.Sprintf("%.0f %%", 100*t.ratio(offersAlone, name)) }
	row(fmt.Sprintf("  share of the offer arithmetic (%s)", span(t.nanos(offersAlone))),
		share(oursPrepared), share(byHand), share(t.expr), share(t.cel),
		times(t.net(oursPrepared, byHand)), times(t.net(t.expr, oursPrepared)), times(t.net(t.cel, oursPrepared)))
	row("decide, facts built from a struct first", span(t.nanos(oursBuilding)), "", "", "",
		times(t.ratio(oursBuilding, byHand)), times(t.ratio(t.expr, oursBuilding)), times(t.ratio(t.cel, oursBuilding)))
	row("decide, CEL's values converted beforehand", "", "", "", span(t.nanos(celConverted)),
		"", "", times(t.ratio(celConverted, oursPrepared)))
	row("decide, half of the optional fields absent", span(t.nanos(oursHalf)))
	row("allocations of one decision",
		count(t.allocs(oursPrepared)), count(t.allocs(byHand)), count(t.allocs(t.expr)), count(t.allocs(t.cel)))
	row("read, check, analyse and compile the policy",
		span(t.nanos(compileOurs)), "", span(t.nanos(compileExprs)), span(t.nanos(compileCELs)),
		"", times(t.ratio(compileExprs, compileOurs)), times(t.ratio(compileCELs, compileOurs)))
	row("  of it the analysis", span(t.nanos(analyseAlone)))
	fmt.Fprintf(b, "\nThe ratios beside the share are those of the rest, without the offer arithmetic.\n")
	fmt.Fprintf(b, "Of a program for every rule (many) and one for all (one) the faster: %s, %s.\n", t.expr, t.cel)
}

// net is ratio without the offer arithmetic on either side.
func (t *table) net(name, by string) float64 {
	list := make([]float64, len(t.results[name]))
	for i := range list {
		offers := t.results[offersAlone][i].CPUNanos
		list[i] = (t.results[name][i].CPUNanos - offers) / (t.results[by][i].CPUNanos - offers)
	}
	return median(list, func(x float64) float64 { return x })
}

func (t *table) growth(b *strings.Builder) {
	fmt.Fprintf(b, "\n%-14s %11s %11s %16s %11s\n", "growth", "decide", "a rule", "read and compile", "a rule")
	for _, rules := range growthSizes {
		decide, compile := t.nanos(growthName(rules)), t.nanos(compileName(rules))
		fmt.Fprintf(b, "%-14s %11s %11s %16s %11s\n", fmt.Sprintf("%d rules", rules),
			span(decide), span(decide/float64(rules)), span(compile), span(compile/float64(rules)))
	}
}

func (t *table) targets(b *strings.Builder) {
	b.WriteString("\ntargets\n")
	line := func(met bool, format string, args ...any) {
		mark := "MISSED"
		if met {
			mark = "met"
		}
		fmt.Fprintf(b, "  %-6s  %s\n", mark, fmt.Sprintf(format, args...))
	}
	limit := t.ratio(oursPrepared, byHand)
	line(limit <= 4, "decide in at most 4 × hand-written Go: %s", times(limit))
	allocs := t.allocs(oursPrepared)
	line(count(allocs) == "0", "decide without allocation: %s", count(allocs))
	byExpr := t.ratio(t.expr, oursPrepared)
	line(byExpr >= 10, "decide at least 10 × faster than expr: %s", times(byExpr))
	byCEL := t.ratio(t.cel, oursPrepared)
	line(byCEL >= 20, "decide at least 20 × faster than cel-go: %s", times(byCEL))
	compile := t.nanos(compileOurs)
	line(compile <= float64(200*time.Microsecond), "compile for activation in at most 200 µs: %s", span(compile))
	few, many := growthSizes[0], growthSizes[len(growthSizes)-1]
	perFew := t.nanos(growthName(few)) / float64(few)
	perMany := t.nanos(growthName(many)) / float64(many)
	line(perMany <= perFew, "decide linear or better from %d to %d rules: %s, then %s a rule", few, many, span(perFew), span(perMany))
}

// span writes a time in the unit that suits it.
func span(nanos float64) string {
	switch {
	case nanos < 1000:
		return fmt.Sprintf("%.1f ns", nanos)
	case nanos < 10_000:
		return fmt.Sprintf("%.2f µs", nanos/1e3)
	case nanos < 1_000_000:
		return fmt.Sprintf("%.1f µs", nanos/1e3)
	default:
		return fmt.Sprintf("%.2f ms", nanos/1e6)
	}
}

func times(ratio float64) string { return fmt.Sprintf("%.1f ×", ratio) }

// count rounds away what the runtime itself allocates now and then.
func count(n float64) string {
	if n < 0.01 {
		return "0"
	}
	return fmt.Sprintf("%.1f", n)
}
