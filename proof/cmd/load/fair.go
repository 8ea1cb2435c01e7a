package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdict/internal/pgcluster"
	"verdict/internal/proof"
	"verdict/proof/load"
)

// hostileRules is the number of rules that are added to the attacker's default
// policy. It is close to the maximum.
const hostileRules = 950

// fairness measures on one database how the service treats a neighbour, which
// is another tenant, during the attacks that load.Attacks returns. The flag
// -only selects some of them.
func (o *order) fairness(
	ctx context.Context, database, folder string, stderr io.Writer,
) (all []*load.Disturbed, err error) {
	server, end, err := o.serve(ctx, database, folder, "-max-connections-each", "1024")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	keys, err := load.SignUp(ctx, server.URL, 2)
	if err != nil {
		return nil, err
	}
	neighbour, attacker := keys[0], keys[1]
	if err := load.Arm(ctx, server.URL, attacker, hostileRules); err != nil {
		return nil, err
	}
	attacks, err := load.Attacks(ctx, server.URL, attacker)
	if err != nil {
		return nil, err
	}
	if o.only != "" {
		var chosen []load.Attack
		for _, a := range attacks {
			if strings.Contains(a.Name, o.only) {
				chosen = append(chosen, a)
			}
		}
		attacks = chosen
	}
	plan := load.FairPlan{
		Stage:       o.plan.Stage,
		Neighbour:   4,
		Attackers:   200,
		Slow:        500,
		Idle:        5000,
		ProbeWithin: time.Second,
		Limits:      load.DefaultFairLimits(),
		Launch:      launch,
	}
	return load.Fair(ctx, server, neighbour, attacks, plan, func(format string, args ...any) {
		_, _ = fmt.Fprintf(stderr, "%s: "+format+"\n", append([]any{database}, args...)...)
	})
}

// runFair measures fairness on every database and returns an error if a limit
// is not met.
func (o *order) runFair(ctx context.Context, args []string, folder string, stdout, stderr io.Writer) error {
	command := strings.Join(append([]string{"go -C proof run ./cmd/load"}, args...), " ")
	limits := load.DefaultFairLimits()
	section := []string{proof.Origin(ctx, time.Now(), command), fmt.Sprintf(
		"A neighbour sends decisions over 4 connections, for %s alone and for %s during each attack. Each connection "+
			"sends its next request when the previous one has been answered. "+
			"The attackers are another process of lower priority on the same processors as the neighbour. Floods "+
			"have 200 connections, slow senders 500, silent ones 5000, and two floods without a key have 5000 too; "+
			"the attacking tenant's policy has %d rules. A flood that gets no answer is measured again for twice as "+
			"long, up to 16 times as long; the table says how long. \"Accepted\" counts the answers with a status "+
			"below 400. "+
			"Requirements: the neighbour keeps %.0f %% of its rate, its p99 is at most %s and none of its requests "+
			"fails; probes answer within a second; the server holds at most %d MiB. An attack that misses the rate, "+
			"or during which the host gave more than 5 %% of the processor time to other machines, is measured again, "+
			"and the median of %d calm measurements counts, or of %d if too few are calm.\n",
		o.plan.Stage, o.plan.Stage, hostileRules, 100*limits.Rate, limits.P99, limits.Memory>>20,
		load.CalmTries, load.FairTries)}
	failed := 0
	for database := range strings.SplitSeq(o.databases, ",") {
		all, err := o.fairness(ctx, strings.TrimSpace(database), folder, stderr)
		if err != nil {
			return fmt.Errorf("on %s: %w", database, err)
		}
		section = append(section, "**"+database+"**\n", proof.Table(load.FairTable(all)))
		for _, d := range all {
			for _, wrong := range d.Judge(limits) {
				failed++
				section = append(section, "- Did not hold: "+d.Attack.Name+": "+wrong)
				_, _ = fmt.Fprintf(stdout, "DID NOT HOLD: %s: %s: %s\n", database, d.Attack.Name, wrong)
			}
		}
	}
	if failed == 0 {
		section = append(section, "Everything held.")
	}
	if err := proof.Write(o.proof, "fair", strings.Join(section, "\n")); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d limits were not met", failed)
	}
	return nil
}

// serve starts a database and a server that uses it. Unless -together is set, they run on other processors than the
// load, if that is possible.
func (o *order) serve(
	ctx context.Context, database, folder string, settings ...string,
) (_ *load.Server, end func() error, err error) {
	if folder, err = os.MkdirTemp(folder, database); err != nil {
		return nil, nil, err
	}
	databaseURL, endDatabase := "sqlite:"+filepath.Join(folder, "verdict.db"), func() error { return nil }
	apart := func() error { return nil }
	if !o.together {
		if apart, o.separated, err = load.Separate(); err != nil {
			return nil, nil, err
		}
	}
	switch database {
	case "sqlite":
	case "postgres":
		cluster, err := pgcluster.Start(ctx, pgcluster.Options{})
		if err != nil {
			return nil, nil, err
		}
		if databaseURL, err = cluster.Create(ctx, "load"); err != nil {
			return nil, nil, errors.Join(err, cluster.Close())
		}
		endDatabase = cluster.Close
	default:
		return nil, nil, errors.New("databases are sqlite and postgres")
	}
	server, err := load.StartServer(ctx, o.binary, databaseURL, folder,
		append(settings, strings.Fields(o.settings)...)...)
	if err != nil {
		return nil, nil, errors.Join(err, endDatabase())
	}
	end = func() error { return errors.Join(server.Stop(), endDatabase()) }
	if err := apart(); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return server, end, nil
}
