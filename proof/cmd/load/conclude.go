package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"verdict/internal/proof"
	"verdict/proof/load"
)

// conclude prints the measurements, writes the requested files, and returns an
// error if a limit was not met.
func (o *order) conclude(ctx context.Context, databases []load.Rounds, args []string, stdout io.Writer) error {
	command := strings.Join(append([]string{"go -C proof run ./cmd/load"}, args...), " ")
	section := []string{proof.Origin(ctx, time.Now(), command), o.method()}
	failed := false
	for _, rounds := range databases {
		wrong := rounds.Judge(o.limits)
		failed = failed || len(wrong) > 0
		section = append(section, rounds.Markdown(wrong))
		if err := printRounds(stdout, rounds, wrong); err != nil {
			return err
		}
		c := rounds.Middle()
		if o.picture != "" {
			if err := os.WriteFile(filepath.Join(o.picture, "load-"+c.Database+".svg"), c.SVG(), 0o600); err != nil {
				return err
			}
		}
	}
	if err := proof.Write(o.proof, "load", strings.Join(section, "\n")); err != nil {
		return err
	}
	if failed {
		return errors.New("a limit was not met")
	}
	return nil
}

// method returns a description of how the figures were measured, and of the
// limits.
func (o *order) method() string {
	return fmt.Sprintf("Mix: %s; %d tenants; %s arrivals, seed %d; stages of %s; %d rounds. "+
		"Latency counts from the time a request was due. \"Sent late\" is the generator's own delay, which is part "+
		"of every latency. "+
		"The limits: every request is answered within %s, every refusal has Retry-After, the p99 of refusals is at "+
		"most %s, at least %.0f %% of the saturation rate is done up to %d %% of it and %.0f %% beyond, with a p99 of "+
		"at most %s (medians of the rounds), "+
		"the server holds at most %d MiB, latency is normal again at most %s after the load went back, and nothing "+
		"that was answered is lost.\n",
		o.options.Mix, o.tenants, o.options.Arrivals, o.options.Seed, o.plan.Stage, o.rounds,
		o.options.Timeout, o.limits.Refusal, 100*o.limits.Goodput, load.Flooded, 100*o.limits.Flooded,
		o.limits.Latency, o.limits.Memory>>20, o.limits.Recover)
}

func printRounds(stdout io.Writer, rounds load.Rounds, wrong []string) error {
	var b strings.Builder
	c := rounds.Middle()
	fmt.Fprintf(&b, "\n%s\n\n", c.Database)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range c.Table() {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")+"\t") // a write to a Builder never fails
	}
	_ = w.Flush()
	fmt.Fprintf(&b, "\n%s\n", strings.Join(append(rounds.Medians(), c.Summary()...), "\n"))
	for _, line := range wrong {
		fmt.Fprintf(&b, "DID NOT HOLD: %s\n", line)
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}
