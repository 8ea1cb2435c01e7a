// Command csv measures a backtest of a file side by side with what else could
// run the same policy over it: a loop over encoding/csv, DuckDB, and a parser
// and a policy written by hand for this one file, which is the limit. All of
// them have to come to the same counts.
//
//	go run ./csv            # the table and the targets, about three minutes
//	go run ./csv -long      # and the memory of twenty million rows
//
// ../README.md says what is measured and how.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("csv", flag.ContinueOnError)
	o := options{}
	flags.IntVar(&o.rows, "rows", 1_000_000, "rows of the file")
	flags.IntVar(&o.rounds, "rounds", 7, "how often each contestant is measured")
	flags.BoolVar(&o.long, "long", false, "measure the memory of twenty million rows too")
	only := flags.String("only", "", "measure this contestant in this process and print JSON")
	file := flags.String("file", "", "with -only: the file to read")
	cores := flags.Int("cores", 1, "with -only: goroutines that decide")
	profile := flags.String("cpuprofile", "", "with -only: write a CPU profile to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only == "" {
		return contest(ctx, out, o)
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return fmt.Errorf("create the profile: %w", err)
		}
		defer f.Close() //nolint:errcheck // A profile that was not written whole does not open.
		if err := pprof.StartCPUProfile(f); err != nil {
			return fmt.Errorf("start the profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	l, err := measureHere(ctx, *only, *file, *cores)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(l)
}
