package growth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/bench/service"
	"verdict/internal/pgcluster"
)

// Options sets how much is stored and how often each request is measured.
type Options struct {
	Decisions   int // large number of stored decisions, which is compared with a small number
	Tenants     int // large number of tenants, which is compared with one tenant
	Rounds      int
	Requests    int // requests of each kind in a round
	Activations int
	Starts      int
	Idle        time.Duration // how long a process idles before its memory is measured
}

// flat is the maximum ratio for a time that should not grow.
const flat = 1.5

// environment holds the resources of the contest.
type environment struct {
	Options
	folder   string
	binary   string
	postgres *pgcluster.Cluster
}

// Contest measures the fixed costs of the process, and everything that may grow
// with the number of decisions, tenants and nodes.
func Contest(ctx context.Context, o Options) (s board.Section, err error) {
	e := &environment{Options: o}
	if e.folder, err = os.MkdirTemp("", "verdict-bench-"); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(e.folder)) }()
	measure.Progress("building the product")
	if e.binary, err = build(ctx, e.folder); err != nil {
		return s, err
	}
	if e.postgres, err = service.StartPostgres(ctx); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, e.postgres.Close()) }()
	s = board.Section{
		Name: "growth", Title: "Growth",
		Note: fmt.Sprintf("The binary as it is released; %d rounds of %d requests, one after the other; "+
			"wall time, medians; ratios within a round.", o.Rounds, o.Requests),
	}
	for _, part := range []func(context.Context, *board.Section) error{
		e.process,
		e.tenants,
		e.nodes,
		e.storedSQLite,
		e.storedPostgres,
	} {
		if err := part(ctx, &s); err != nil {
			return s, err
		}
	}
	measure.Progress("")
	return s, nil
}

// file returns the URL of a new SQLite database.
func (e *environment) file(name string) string {
	return "sqlite:" + filepath.Join(e.folder, name+".db")
}
