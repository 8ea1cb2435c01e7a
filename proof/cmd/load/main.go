// Command load starts a server, loads it to saturation and beyond, on SQLite and on PostgreSQL, and
// reports whether it met its limits. Some flags select another measurement: -fair measures what a
// tenant gets during attacks by others, -backlog measures decisions while webhooks have undelivered
// events and a dead receiver, and -old measures the rates of another binary and of this one in
// turn.
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
	"strconv"
	"strings"
	"syscall"
	"time"

	"verdict/proof/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if len(os.Args) == 2 && os.Args[1] == attackFlag {
		err = attack(ctx, os.Stdin, os.Stdout)
	} else {
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// order holds the values of the flags. serve sets separated if the server and
// the load have separate processors.
type order struct {
	binary, databases, settings string
	old                         string
	proof, picture              string
	tenants, rounds             int
	together, separated         bool
	fair                        bool
	only                        string
	backlog                     int64
	options                     load.Options
	plan                        load.Plan
	limits                      load.Limits
}

func parse(args []string, stderr io.Writer) (order, error) {
	o := order{limits: load.DefaultLimits()}
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.binary, "binary", "", "`file` of the server; built from verdict/cmd/verdict when empty")
	fs.StringVar(&o.databases, "databases", "sqlite,postgres", "what to run on")
	fs.StringVar(&o.settings, "serve", "", "further `settings` of the server, separated by blanks")
	fs.StringVar(&o.proof, "proof", "", "`file` that gets the figures, in a section for each kind of measurement")
	fs.StringVar(&o.picture, "picture", "", "`folder` for a picture of latency against rate for each database")
	fs.IntVar(&o.tenants, "tenants", 4, "tenants that send, each with a key of its own")
	fs.IntVar(&o.rounds, "rounds", 1, "number of rounds; rates and latencies are judged by their medians")
	fs.BoolVar(&o.together, "together", false, "let the load and the server share all processors")
	fs.Uint64Var(&o.options.Seed, "seed", 1, "seed of the schedule and the mix")
	fs.IntVar(&o.options.Connections, "connections", 2000, "maximum number of connections of the open loop")
	fs.DurationVar(&o.options.Timeout, "timeout", 5*time.Second, "time in which every request must be answered")
	fs.DurationVar(&o.plan.Stage, "stage", 10*time.Second, "length of each stage")
	fs.IntVar(&o.plan.Back, "back", 50, "percentage of the saturation rate in the last stage")
	fs.DurationVar(&o.plan.Probe, "probe", 2*time.Second,
		"time in which a probe must be answered, such as the timeout of a load balancer")
	fs.Float64Var(&o.plan.Saturation, "saturation", 0, "requests a second that count as 100 %; measured when 0")
	fs.Float64Var(&o.limits.Goodput, "goodput", o.limits.Goodput,
		"share of the saturation rate that must still be answered beyond saturation")
	fs.Float64Var(&o.limits.Flooded, "flooded", o.limits.Flooded, fmt.Sprintf(
		"share of the saturation rate that must still be answered beyond %d %% of it", load.Flooded))
	fs.DurationVar(&o.limits.Refusal, "refusal", o.limits.Refusal, "longest p99 of refusals")
	fs.DurationVar(&o.limits.Recover, "recover", o.limits.Recover, "longest time until latency is normal again")
	fs.BoolVar(&o.fair, "fair", false, "measure what a neighbour gets during attacks, instead of rising rates")
	fs.StringVar(&o.only, "only", "", "with -fair, the attacks whose name has this `text`")
	fs.Int64Var(&o.backlog, "backlog", 0,
		"measure decisions while five webhooks exist, each with this number of undelivered `events`")
	fs.StringVar(&o.old, "old", "", "`file` of an older server; compare its closed-loop rate with that of the server")
	memory := fs.Int64("memory", o.limits.Memory>>20, "most memory of the server in `MiB`")
	mix := fs.String("mix", "80,10,5,5", "weights of decisions, evaluate, preview, get")
	arrivals := fs.String("arrivals", string(load.Poisson), "even or poisson")
	closed := fs.String("closed", "64,256", "connections of the closed loop; the number that gets most done counts")
	percents := fs.String("percents", "25,50,75,90,100,120,150,200", "parts of the saturation rate to offer")
	err := fs.Parse(args)
	if err == nil {
		o.limits.Memory = *memory << 20
		if o.options.Mix, err = load.ParseMix(*mix); err == nil {
			o.options.Arrivals, err = load.ParseArrivals(*arrivals)
		}
	}
	if err == nil {
		o.plan.Percents, err = numbers("percents", *percents)
	}
	if err == nil {
		o.plan.Connections, err = numbers("closed", *closed)
	}
	return o, err
}

func numbers(name, text string) (list []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-%s are whole numbers separated by commas", name)
		}
		list = append(list, n)
	}
	return list, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if o.binary == "" {
		o.binary = filepath.Join(folder, "verdict")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.binary,
			"verdict/cmd/verdict") //nolint:gosec // builds our own program
		build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the server: %w", err)
		}
	}
	if o.fair {
		return o.runFair(ctx, args, folder, stdout, stderr)
	}
	if o.backlog > 0 {
		return o.runBacklog(ctx, args, folder, stdout, stderr)
	}
	if o.old != "" {
		return o.runCompare(ctx, args, folder, stdout, stderr)
	}
	var all []load.Rounds
	for database := range strings.SplitSeq(o.databases, ",") {
		var rounds load.Rounds
		for range max(1, o.rounds) {
			c, err := o.campaign(ctx, strings.TrimSpace(database), folder, stderr)
			if err != nil {
				return fmt.Errorf("on %s: %w", database, err)
			}
			rounds = append(rounds, c)
		}
		all = append(all, rounds)
	}
	return o.conclude(ctx, all, args, stdout)
}

// campaign starts a server on one database and loads it.
func (o *order) campaign(ctx context.Context, database, folder string, stderr io.Writer) (_ *load.Campaign, err error) {
	server, end, err := o.serve(ctx, database, folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	keys, err := load.SignUp(ctx, server.URL, o.tenants)
	if err != nil {
		return nil, err
	}
	tell := func(format string, args ...any) {
		_, _ = fmt.Fprintf(stderr, "%s: "+format+"\n", append([]any{database}, args...)...)
	}
	c, err := load.Run(ctx, server, load.New(load.Target{Addr: server.Addr(), Keys: keys}, o.options), o.plan, tell)
	if err != nil {
		return nil, err
	}
	c.Database, c.Separated = database, o.separated
	return c, nil
}
