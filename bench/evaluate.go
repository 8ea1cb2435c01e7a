package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"verdict/bench/evaluate"
)

// evaluateContestants are those of the evaluate lines.
func evaluateContestants() (list []contestant) {
	for _, c := range evaluate.Contestants(policyJSON) {
		list = append(list, contestant{c.Name, c.Start})
	}
	return list
}

// contestEvaluate measures what a large evaluate request costs.
func contestEvaluate(ctx context.Context, out io.Writer, rounds int, budget time.Duration) error {
	var names []string
	for _, c := range evaluateContestants() {
		names = append(names, c.name)
	}
	r, err := measureAll(ctx, names, rounds, budget)
	if err != nil {
		return err
	}
	var b strings.Builder
	evaluateTable(&b, r)
	_, err = io.WriteString(out, b.String())
	return err
}

func evaluateTable(b *strings.Builder, r results) {
	row := func(work string, cells ...string) {
		line := fmt.Sprintf("%-46s", work)
		for _, cell := range cells {
			line += fmt.Sprintf(" %11s", cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	time := func(name string) string { return span(r.nanos(name)) }
	b.WriteString("a large evaluate request: 40 accounts of 36 months, 60 enquiries, 2,000 transactions\n\n")
	row("work", "ours", "limit", "peer", "ours/limit", "peer/ours", "allocations")
	row("feature vector (peer: a pass for each)",
		time(evaluate.FeaturesOurs), time(evaluate.FeaturesLimit), time(evaluate.FeaturesPasses),
		times2(r.ratio(evaluate.FeaturesOurs, evaluate.FeaturesLimit)),
		times(r.ratio(evaluate.FeaturesPasses, evaluate.FeaturesOurs)), count(r.allocs(evaluate.FeaturesOurs)))
	row("feature vector with its hash",
		time(evaluate.HashedOurs), time(evaluate.HashedLimit), "",
		times2(r.ratio(evaluate.HashedOurs, evaluate.HashedLimit)), "", count(r.allocs(evaluate.HashedOurs)))
	row("read the body (peer: encoding/json)",
		time(evaluate.DecodeOurs), "", time(evaluate.DecodeJSON), "",
		times(r.ratio(evaluate.DecodeJSON, evaluate.DecodeOurs)), count(r.allocs(evaluate.DecodeOurs)))
	if evaluate.HasV2() {
		row("read the body (peer: encoding/json/v2)",
			time(evaluate.DecodeOurs), "", time(evaluate.DecodeV2), "",
			times(r.ratio(evaluate.DecodeV2, evaluate.DecodeOurs)))
	}
	row("  the document alone (peer: into structs)",
		time(evaluate.DecodeParse), "", time(evaluate.DecodeJSONAlone), "",
		times(r.ratio(evaluate.DecodeJSONAlone, evaluate.DecodeParse)), count(r.allocs(evaluate.DecodeParse)))
	row("the whole request, without storage", time(evaluate.Whole), "", "", "", "", count(r.allocs(evaluate.Whole)))
	row("  the document", time(evaluate.DecodeParse))
	row("  reading it into history, statement and facts", span(r.nanos(evaluate.DecodeOurs)-r.nanos(evaluate.DecodeParse)))
	row("  features and their hash", time(evaluate.WholeFeatures))
	row("  deciding and the answer", time(evaluate.WholeDecide))
	row("  facts, vector and history to be stored", time(evaluate.WholeStored))
	evaluateTargets(b, r)
}

func evaluateTargets(b *strings.Builder, r results) {
	b.WriteString("\ntargets\n")
	line := func(met bool, format string, args ...any) {
		mark := "MISSED"
		if met {
			mark = "met"
		}
		fmt.Fprintf(b, "  %-6s  %s\n", mark, fmt.Sprintf(format, args...))
	}
	plain := r.ratio(evaluate.FeaturesOurs, evaluate.FeaturesLimit)
	line(plain <= 1.6, "feature vector in at most 1.6 × the limit: %s", times2(plain))
	hashed := r.ratio(evaluate.HashedOurs, evaluate.HashedLimit)
	line(hashed <= 1.6, "with its hash in at most 1.6 × the limit: %s", times2(hashed))
	byJSON := r.ratio(evaluate.DecodeJSON, evaluate.DecodeOurs)
	line(byJSON >= 5, "body read at least 5 × faster than by encoding/json: %s", times(byJSON))
	allocs := r.allocs(evaluate.DecodeOurs)
	line(allocs <= 400, "in at most 400 allocations: %s", count(allocs))
}

// times2 writes a ratio whose target has a decimal.
func times2(ratio float64) string { return fmt.Sprintf("%.2f ×", ratio) }
