// Command csv measures a backtest of a file and compares it with other ways to run the
// same policy on the file. These are a loop over encoding/csv, arrow-go, DuckDB, and the
// limit: a parser and a policy written by hand for this one file. All contestants must
// produce the same counts. The command is a separate program because DuckDB needs a C
// compiler. The program in the parent folder runs it with -json.
//
// ../README.md describes what is measured and how.
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
	"path/filepath"
	"syscall"

	"verdict/bench/measure"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	flags.IntVar(&o.rounds, "rounds", 7, "measure each contestant this many times")
	flags.IntVar(&o.most, "most", 10_000_000, "rows of the longest backtest, whose memory is measured")
	asJSON := flags.Bool("json", false, "print the section as JSON")
	only := flags.String("only", "", "measure this contestant in this process and print JSON")
	var in input
	flags.StringVar(&in.path, "file", "", "with -only: the file to read (default: a new file)")
	flags.IntVar(&in.cores, "cores", 1, "with -only: number of goroutines that decide")
	flags.IntVar(&in.times, "times", 1, "with -only ours: read the rows this many times")
	profile := flags.String("cpuprofile", "", "with -only: write a CPU profile to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only == "" {
		s, err := contest(ctx, o)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(out).Encode(s)
		}
		return s.Text(out)
	}
	if in.path == "" {
		folder, err := os.MkdirTemp("", "verdict-bench-csv")
		if err != nil {
			return fmt.Errorf("make a folder for the file: %w", err)
		}
		defer os.RemoveAll(folder) //nolint:errcheck // The folder is in the system's temporary folder.
		in.path = filepath.Join(folder, "book.csv")
		if err := writeBook(in.path, o.rows); err != nil {
			return err
		}
	}
	var l *lap
	err := measure.Profiled(*profile, func() (err error) {
		l, err = measureHere(ctx, *only, in)
		return err
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(l)
}
