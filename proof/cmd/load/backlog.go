package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"verdict/internal/proof"
	"verdict/proof/load"
)

// The webhooks and the connections of a measurement with -backlog.
const (
	backlogWebhooks    = 5
	backlogConnections = 32
)

// runBacklog measures on every database how decisions are answered while webhooks have undelivered events and their
// receiver is dead. The flag -rounds says how often, and -stage how long each time.
func (o *order) runBacklog(ctx context.Context, folder string, stdout, stderr io.Writer) error {
	for database := range strings.SplitSeq(o.databases, ",") {
		rounds, err := o.backlogOn(ctx, strings.TrimSpace(database), folder, stderr)
		if err != nil {
			return fmt.Errorf("on %s: %w", database, err)
		}
		if _, err := fmt.Fprintf(stdout, "**%s**\n\n%s\n", database, proof.Table(load.BacklogTable(rounds))); err != nil {
			return err
		}
	}
	return nil
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
