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

// Options say how far everything grows, and how often is measured.
type Options struct {
	Decisions   int // stored before, compared with few
	Tenants     int // compared with one
	Rounds      int
	Requests    int // of each kind in a round
	Activations int
	Starts      int
	Idle        time.Duration // how long a process is left alone before its memory is taken
}

// flat is how much dearer something may be that is not to grow.
const flat = 1.5

// yard is where it takes place.
type yard struct {
	Options
	folder   string
	binary   string
	postgres *pgcluster.Cluster
}

// Contest measures everything that grows.
func Contest(ctx context.Context, o Options) (s board.Section, err error) {
	y := &yard{Options: o}
	if y.folder, err = os.MkdirTemp("", "verdict-bench-"); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(y.folder)) }()
	measure.Progress("building the product")
	if y.binary, err = build(ctx, y.folder); err != nil {
		return s, err
	}
	if y.postgres, err = service.StartPostgres(ctx); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, y.postgres.Close()) }()
	s = board.Section{
		Name: "growth", Title: "Growth",
		Note: fmt.Sprintf("The binary as it is released; %d rounds of %d requests, one after the other; wall time, medians; ratios within a round.", o.Rounds, o.Requests),
	}
	for _, part := range []func(context.Context, *board.Section) error{y.process, y.tenants, y.nodes, y.storedSQLite, y.storedPostgres} {
		if err := part(ctx, &s); err != nil {
			return s, err
		}
	}
	measure.Progress("")
	return s, nil
}

// file is the URL of a SQLite database that is not there yet.
func (y *yard) file(name string) string { return "sqlite:" + filepath.Join(y.folder, name+".db") }
