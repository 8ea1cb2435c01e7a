// Command bench measures every target for speed and growth that the product has. For
// each target it runs our code, the peers and the limit in turns on the same inputs,
// and reports whether the target was met or missed. The README describes what is
// measured and how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"verdict/bench/board"
	"verdict/bench/evaluate"
	"verdict/bench/measure"
	"verdict/bench/service"
	"verdict/internal/proof"
)

func main() {
	if service.RunChild() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings holds the options of the command line.
type settings struct {
	scale
	only, profile, profiles, page string
	connections                   int
	chosen                        map[string]*bool // the flag of each section
}

func read(args []string) (*settings, error) {
	s := &settings{chosen: map[string]*bool{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	for _, section := range sections() {
		s.chosen[section.name] = flags.Bool(section.name, false, section.about+" alone")
	}
	quick := flags.Bool("quick", false,
		"take a few minutes instead of twenty: fewer rounds, smaller inputs; to see that everything runs")
	long := flags.Bool("long", false,
		"use the largest inputs: 100 M rows, 5 M stored decisions, 10 M observations; about an hour")
	rounds := flags.Int("rounds", 0, "measure each contestant this many times")
	lap := flags.Duration("lap", 0, "send load to a server for this long")
	flags.DurationVar(&s.budget, "budget", 200*time.Millisecond,
		"CPU time of one measurement of the engine and of evaluate")
	flags.StringVar(&s.only, "only", "",
		"measure only this contestant, in this process, and print JSON; with -service, one of that section")
	flags.StringVar(&s.profile, "cpuprofile", "", "with -only: write a CPU profile to this file")
	flags.StringVar(&s.profiles, "profiles", "", "with -service: write profiles of the servers to this folder")
	flags.IntVar(&s.connections, "connections", 64, "number of connections that send load")
	flags.StringVar(&s.page, "o", "", "write the results into this page, between its markers")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	budget := s.budget
	switch {
	case *quick && *long:
		return nil, errors.New("-quick and -long cannot be combined")
	case *quick:
		s.scale = quickScale()
	case *long:
		s.scale = longScale()
	default:
		s.scale = normalScale()
	}
	if flagged(flags, "budget") {
		s.budget = budget
	}
	if *rounds > 0 {
		s.rounds = *rounds
	}
	if *lap > 0 {
		s.lap = *lap
	}
	return s, nil
}

// flagged reports whether the command line contains the flag.
func flagged(flags *flag.FlagSet, name string) (given bool) {
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// asked reports whether to measure a section. All sections are measured unless the
// command line names some.
func (s *settings) asked(name string) bool {
	for _, chosen := range s.chosen {
		if *chosen {
			return *s.chosen[name]
		}
	}
	return true
}

func run(ctx context.Context, args []string, out io.Writer) error {
	s, err := read(args)
	if err != nil {
		return err
	}
	if s.only != "" && !*s.chosen["service"] {
		all := slices.Concat(contestants(), growthContestants(), proverContestants(), evaluate.Contestants(policyJSON))
		return measure.Only(out, all, s.only, s.budget, s.profile)
	}
	begun := time.Now()
	var found []board.Section
	for _, section := range sections() {
		if !s.asked(section.name) {
			continue
		}
		result, err := section.contest(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
		if err := result.Text(out); err != nil {
			return err
		}
		found = append(found, result)
	}
	whole := len(found) == len(sections())
	if whole {
		table := board.Targets(found)
		took := time.Since(begun).Round(time.Second)
		if _, err := fmt.Fprintf(out, "THE SCOREBOARD, measured in %s\n\n", took); err != nil {
			return err
		}
		if err := table.Print(out); err != nil {
			return err
		}
	}
	if s.page == "" {
		return nil
	}
	origin := proof.Origin(ctx, begun, "cd bench && go run . "+strings.Join(args, " "))
	return write(s.page, found, whole, origin+"\nMeasured in "+time.Since(begun).Round(time.Second).String()+".\n")
}

// write writes every section between its markers on the page. If all sections were
// measured, it also writes the table of all targets, so that the table always shows a
// single run.
func write(page string, found []board.Section, whole bool, origin string) error {
	if whole {
		table := board.Targets(found)
		if err := proof.Write(page, "scoreboard", origin+"\n"+table.Page()); err != nil {
			return err
		}
		origin = ""
	}
	for i := range found {
		text := found[i].Markdown()
		if origin != "" {
			text += "\n" + origin
		}
		if err := proof.Write(page, found[i].Name, text); err != nil {
			return err
		}
	}
	return nil
}
