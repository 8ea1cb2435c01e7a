// Command bench measures deciding and compiling a policy side by side with
// hand-written Go for the same policy, with expr and with cel-go, a large
// evaluate request side by side with its limits and with encoding/json, and the
// whole service side by side with bare handlers, and prints what the targets ask
// for and whether it is met. The README says what is measured and how.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"time"

	"verdict/bench/fraud"
	"verdict/bench/service"
)

func main() {
	if service.RunChild() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rounds := flags.Int("rounds", 7, "how often each contestant is measured")
	budget := flags.Duration("budget", 200*time.Millisecond, "CPU time of one measurement, but for the service")
	only := flags.String("only", "", "measure this contestant in this process and print JSON; with -service, of the service")
	profile := flags.String("cpuprofile", "", "with -only: write a CPU profile to this file")
	engineOnly := flags.Bool("engine", false, "measure the engine alone")
	evaluateOnly := flags.Bool("evaluate", false, "measure a large evaluate request alone")
	serviceOnly := flags.Bool("service", false, "measure the service alone")
	fraudOnly := flags.Bool("fraud", false, "measure a fraud block after few and after ten million observations; not part of the whole")
	o := service.Options{Progress: progress}
	flags.DurationVar(&o.Lap, "lap", 2*time.Second, "how long a server is loaded")
	flags.DurationVar(&o.Warm, "warm", 500*time.Millisecond, "how long a server is loaded before that")
	flags.IntVar(&o.Connections, "connections", 64, "connections of the load")
	flags.StringVar(&o.Profiles, "profiles", "", "with -service: write profiles of the servers to this folder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.Rounds = max(*rounds, 1)
	if *only != "" && !*serviceOnly {
		return measureOnly(out, *only, *budget, *profile)
	}
	if *fraudOnly {
		return fraud.Contest(ctx, out, fraud.Options{Few: 10_000, Many: 10_000_000, Rounds: max(*rounds, 1), Requests: 400})
	}
	all := !*engineOnly && !*evaluateOnly && !*serviceOnly
	if all || *engineOnly {
		if err := contest(ctx, out, o.Rounds, *budget); err != nil {
			return err
		}
		fmt.Fprintln(out) //nolint:errcheck // The next table meets the same error.
	}
	if all || *evaluateOnly {
		if err := contestEvaluate(ctx, out, o.Rounds, *budget); err != nil {
			return err
		}
	}
	if !all && !*serviceOnly {
		return nil
	}
	o.Only = *only
	return service.Contest(ctx, out, o)
}

// measureOnly is what a child process does, and whoever wants a profile.
func measureOnly(out io.Writer, name string, budget time.Duration, profile string) error {
	all := slices.Concat(contestants(), growthContestants(), evaluateContestants())
	at := slices.IndexFunc(all, func(c contestant) bool { return c.name == name })
	if at < 0 {
		var names []string
		for _, c := range all {
			names = append(names, c.name)
		}
		return fmt.Errorf("there is no contestant %q, only %q", name, names)
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return fmt.Errorf("create the profile: %w", err)
		}
		defer f.Close() //nolint:errcheck // A profile that was not written whole does not open.
		if err := pprof.StartCPUProfile(f); err != nil {
			return fmt.Errorf("start the profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	return json.NewEncoder(out).Encode(measureHere(all[at], budget))
}

// contest measures everybody and prints the table.
func contest(ctx context.Context, out io.Writer, rounds int, budget time.Duration) error {
	// Each peer runs in the faster of its two ways.
	trial, err := measureAll(ctx, []string{exprMany, exprOne, celMany, celOne}, 3, budget/2)
	if err != nil {
		return err
	}
	faster := func(a, b string) string {
		if trial.nanos(a) < trial.nanos(b) {
			return a
		}
		return b
	}
	t := table{rounds: rounds, expr: faster(exprMany, exprOne), cel: faster(celMany, celOne)}
	names := []string{
		oursPrepared, byHand, t.expr, t.cel, celConverted, oursBuilding, oursHalf, offersAlone,
		compileOurs, analyseAlone, compileExprs, compileCELs,
	}
	for _, rules := range growthSizes {
		names = append(names, growthName(rules), compileName(rules))
	}
	if t.results, err = measureAll(ctx, names, rounds, budget); err != nil {
		return err
	}
	return t.print(out)
}
