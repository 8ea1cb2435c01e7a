package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"verdict/proof/load"
)

// These are the numbers of webhooks and of connections in a measurement with -backlog.
const (
	backlogWebhooks    = 5
	backlogConnections = 32
)

// runBacklog measures on every database how decisions are answered while webhooks have undelivered events and their
// receiver is dead. The flag -rounds says how often, and -stage how long each time. It returns an error if a limit was
// not met.
func (o *order) runBacklog(ctx context.Context, args []string, folder string, stdout, stderr io.Writer) error {
	r := report{section: "backlog", intro: fmt.Sprintf(
		"%d connections send decisions in a closed loop, for %s while %d webhooks are paused, and for %s while they "+
			"are enabled, each with at least %d undelivered events and a receiver that never answers; %d rounds in "+
			"turn, every second one in the other order. Requirements: every decision is answered, and the p99 "+
			"with the dead receiver is at most %.2f times the p99 without it (median of the rounds).\n",
		backlogConnections, o.plan.Stage, backlogWebhooks, o.plan.Stage, o.backlog, max(1, o.rounds), load.BacklogP99)}
	for database := range strings.SplitSeq(o.databases, ",") {
		rounds, err := o.backlogOn(ctx, strings.TrimSpace(database), folder, stderr)
		if err != nil {
			return fmt.Errorf("on %s: %w", database, err)
		}
		r.add(database, load.BacklogTable(rounds), fmt.Sprintf("Ratio of the p99, median: %.2f.",
			load.BacklogRatio(rounds)), load.JudgeBacklog(rounds, o.backlog))
	}
	return o.write(ctx, args, &r, stdout)
}

func (o *order) backlogOn(
	ctx context.Context, database, folder string, stderr io.Writer,
) (rounds []load.BacklogRound, err error) {
	dead := load.NewDeadReceiver()
	defer dead.Close()
	server, end, err := o.serve(ctx, database, folder, load.BacklogSettings()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	keys, err := load.SignUp(ctx, server.URL, 1)
	if err != nil {
		return nil, err
	}
	plan := load.BacklogPlan{
		Webhooks:    backlogWebhooks,
		Events:      o.backlog,
		Rounds:      max(1, o.rounds),
		Stage:       o.plan.Stage,
		Connections: backlogConnections,
	}
	return load.Backlog(ctx, server, keys[0], dead, plan, func(format string, args ...any) {
		_, _ = fmt.Fprintf(stderr, "%s: "+format+"\n", append([]any{database}, args...)...)
	})
}
