package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"verdict/internal/proof"
	"verdict/proof/load"
)

// report is a section of the document with figures of every database.
type report struct {
	section, intro string
	parts          []string
	wrong          []string
}

// add adds the figures of a database, a sentence about them, and the limits that were not met.
func (r *report) add(database string, table [][]string, sentence string, wrong []string) {
	r.parts = append(r.parts, "**"+strings.TrimSpace(database)+"**\n", proof.Table(table), sentence+"\n")
	for _, line := range wrong {
		r.wrong = append(r.wrong, strings.TrimSpace(database)+": "+line)
	}
}

// write prints a report, writes it into the document of -proof, and returns an error if a limit was not met.
func (o *order) write(ctx context.Context, args []string, r *report, stdout io.Writer) error {
	command := strings.Join(append([]string{"go -C proof run ./cmd/load"}, args...), " ")
	section := append([]string{proof.Origin(ctx, time.Now(), command), r.intro}, r.parts...)
	for _, line := range r.wrong {
		section = append(section, "- Did not hold: "+line)
	}
	if len(r.wrong) == 0 {
		section = append(section, "Everything held.")
	}
	text := strings.Join(section, "\n")
	if _, err := fmt.Fprintln(stdout, text); err != nil {
		return err
	}
	if err := proof.Write(o.proof, r.section, text); err != nil {
		return err
	}
	if len(r.wrong) > 0 {
		return fmt.Errorf("%d limits were not met", len(r.wrong))
	}
	return nil
}

// compareConnections is the number of connections in the closed loop of a comparison. compareWarm is the time for
// which the loop runs before the first round.
const (
	compareConnections = 64
	compareWarm        = 3 * time.Second
)

// runCompare measures the closed-loop rates of two binaries in turn, on every kind of database: the binary that
// the flag -old names, and the present binary. Each binary has its own database. runCompare returns an error if a
// limit was not met.
func (o *order) runCompare(ctx context.Context, args []string, folder string, stdout, stderr io.Writer) error {
	r := report{section: "cost", intro: fmt.Sprintf(
		"The older binary is `%s`. %d connections in a closed loop, mix %s, %d tenants, %s for each binary in turn, "+
			"%d rounds, every second one in the other order; both servers run all the time, each on a database of "+
			"its own. Requirements: the new rate is at least %.2f of the old one (median of the ratios).\n",
		filepath.Base(o.old), compareConnections, o.options.Mix, o.tenants, o.plan.Stage, max(1, o.rounds),
		load.CompareRate)}
	for database := range strings.SplitSeq(o.databases, ",") {
		rounds, err := o.compareOn(ctx, strings.TrimSpace(database), folder, stderr)
		if err != nil {
			return fmt.Errorf("on %s: %w", database, err)
		}
		r.add(database, load.CompareTable(rounds), fmt.Sprintf("Ratio of the rates, median: %.2f.",
			load.CompareRatio(rounds)), load.JudgeCompare(rounds))
	}
	return o.write(ctx, args, &r, stdout)
}

func (o *order) compareOn(
	ctx context.Context, database, folder string, stderr io.Writer,
) (rounds []load.Compared, err error) {
	var targets [2]load.Target
	for i, binary := range []string{o.old, o.binary} {
		one := *o
		one.binary = binary
		server, end, failed := one.serve(ctx, database, folder)
		if failed != nil {
			return nil, fmt.Errorf("start %s: %w", filepath.Base(binary), failed)
		}
		defer func() { err = errors.Join(err, end()) }()
		targets[i].Addr = server.Addr()
		if targets[i].Keys, err = load.SignUp(ctx, server.URL, o.tenants); err != nil {
			return nil, err
		}
	}
	plan := load.ComparePlan{
		Rounds:      max(1, o.rounds),
		Stage:       o.plan.Stage,
		Warm:        compareWarm,
		Connections: compareConnections,
		Options:     o.options,
	}
	return load.Compare(ctx, targets[0], targets[1], plan, func(format string, args ...any) {
		_, _ = fmt.Fprintf(stderr, "%s: "+format+"\n", append([]any{database}, args...)...)
	})
}
