// Command torture runs the real binary with real clients under real faults, and
// checks every answer against a model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"

	"verdict/internal/proof"
	"verdict/proof/torture"
)

func main() {
	torture.ServeIfAsked()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		_, _ = fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// settings holds the values of the flags.
type settings struct {
	database, scenarios, binary string
	document, keep              string
	rounds, only                int
	seed                        uint64
	withoutMount                bool
}

func read(args []string, stderr io.Writer) (settings, error) {
	var s settings
	fs := flag.NewFlagSet("torture", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&s.database, "db", "both", "sqlite, postgres or both")
	fs.StringVar(&s.scenarios, "scenario", "", "scenarios to run, separated by commas (default: all)")
	fs.IntVar(&s.rounds, "rounds", 0, "rounds of each scenario (default: its own number, such as 200 for kill)")
	fs.IntVar(&s.only, "round", 0, "run only the round with this number, which a failure names")
	fs.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of all random choices")
	fs.StringVar(&s.binary, "binary", "", "the service (built from verdict/cmd/verdict)")
	fs.StringVar(&s.document, "proof", "", "document to write the figures into")
	fs.StringVar(&s.keep, "keep", "", "folder to keep the nodes' logs of a failure in")
	fs.BoolVar(&s.withoutMount, "without-mount", false, "leave out what needs a small disk to be mounted, and say so")
	if err := fs.Parse(args); err != nil {
		return s, err
	}
	if fs.NArg() > 0 {
		return s, fmt.Errorf("what is %q?", fs.Arg(0))
	}
	return s, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := read(args, stderr)
	if err != nil {
		return err
	}
	orders, err := s.orders()
	if err != nil {
		return err
	}
	if s.binary == "" {
		path, remove, err := build(ctx)
		if err != nil {
			return err
		}
		defer remove()
		s.binary = path
	}
	_, _ = fmt.Fprintf(stderr, "torture -seed %d\n", s.seed)
	var results []torture.Result
	for _, order := range orders {
		if s.withoutMount && order.Scenario.Mounts() {
			_, _ = fmt.Fprintf(stderr, "%s is left out: no disk is mounted\n", order.Scenario.Name)
			continue
		}
		order.Binary = s.binary
		result, err := s.play(ctx, order, stderr)
		results = append(results, result)
		if err != nil {
			return errors.Join(err, table(stdout, results))
		}
	}
	if err := table(stdout, results); err != nil {
		return err
	}
	return s.prove(ctx, results)
}

// orders returns the requested scenarios, each for the requested databases.
func (s settings) orders() ([]torture.Order, error) {
	all := torture.Scenarios()
	var wanted []string
	if s.scenarios != "" {
		wanted = strings.Split(s.scenarios, ",")
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(all, func(scenario torture.Scenario) bool { return scenario.Name == name }) {
			return nil, fmt.Errorf("there is no scenario %q", name)
		}
	}
	databases := []string{s.database}
	if s.database == "both" {
		databases = []string{torture.SQLite, torture.Postgres}
	}
	var orders []torture.Order
	for _, scenario := range all {
		if len(wanted) > 0 && !slices.Contains(wanted, scenario.Name) {
			continue
		}
		rounds := scenario.Rounds
		if s.rounds > 0 {
			rounds = s.rounds
		}
		for _, database := range databases {
			if slices.Contains(scenario.Databases, database) {
				orders = append(orders, torture.Order{
					Scenario: scenario,
					Database: database,
					Seed:     s.seed,
					Rounds:   rounds,
					Only:     s.only,
					Keep:     s.keep,
					Strict:   true,
				})
			}
		}
	}
	if len(orders) == 0 {
		return nil, fmt.Errorf("%s does not run on the database %s", s.scenarios, s.database)
	}
	return orders, nil
}

// play runs one scenario. It shows a progress bar if standard error is a
// terminal.
func (s settings) play(ctx context.Context, order torture.Order, stderr io.Writer) (torture.Result, error) {
	visible := false
	if file, ok := stderr.(*os.File); ok {
		info, err := file.Stat()
		visible = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	name := order.Scenario.Name + " on " + order.Database
	bar := progressbar.NewOptions(order.Rounds, progressbar.OptionSetDescription(name),
		progressbar.OptionSetWriter(stderr), progressbar.OptionSetVisibility(visible), progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish())
	order.Told = func(round int) {
		_ = bar.Set(round) // a progress bar that cannot be drawn must not stop the run
		if !visible && round%20 == 0 {
			_, _ = fmt.Fprintf(stderr, "%s: %d of %d rounds\n", name, round, order.Rounds)
		}
	}
	result, err := order.Run(ctx)
	_ = bar.Finish()
	if err == nil {
		_, _ = fmt.Fprintf(stderr, "%s: %d rounds, %d answers, %d wrong, %s\n",
			name, result.Rounds, result.Figures.Answered, result.Figures.Bad, result.Took.Round(time.Second))
	}
	return result, err
}

// table prints the figures in columns.
func table(out io.Writer, results []torture.Result) error {
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range torture.Rows(results) {
		_, _ = fmt.Fprintln(columns, strings.Join(row, "\t")) // Flush returns errors
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "faults: %s\n%s\n", torture.FaultKinds(results), torture.Bounds(results))
	return err
}

// prove writes the figures into the document that the flag -proof names.
func (s settings) prove(ctx context.Context, results []torture.Result) error {
	command := fmt.Sprintf("torture -seed %d -db %s", s.seed, s.database)
	if s.scenarios != "" {
		command += " -scenario " + s.scenarios
	}
	if s.rounds > 0 {
		command += fmt.Sprintf(" -rounds %d", s.rounds)
	}
	if s.withoutMount {
		command += " -without-mount"
	}
	return proof.Write(s.document, "torture", proof.Origin(ctx, time.Now(), command)+"\n"+
		proof.Table(torture.Rows(results))+"\nFaults: "+torture.FaultKinds(results)+". "+torture.Bounds(results)+"\n")
}

// build builds the binary of the service, without cgo and with -trimpath like a
// release.
func build(ctx context.Context) (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "torture-binary-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) } // a leftover folder does no harm
	path = filepath.Join(folder, "verdict")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", path,
		"verdict/cmd/verdict") //nolint:gosec // the path is ours
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("build the service: %w\n%s", err, output)
	}
	return path, remove, nil
}
