package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/internal/pgcluster"
)

// Options select what to measure and for how long.
type Options struct {
	Rounds      int
	Warm, Lap   time.Duration
	Connections int
	Only        string // name of a single contestant; "" for all
	Profiles    string // folder for the profiles of the servers; "" for none
}

// contestant is a server with its database and the path to which requests are sent.
type contestant struct {
	name     string
	role     string
	database kind
	path     string
	alone    bool // whether it is also measured with a single connection
}

type kind uint8

const (
	nothing kind = iota
	sqlite
	postgreSQL
)

// The names of the contestants.
const (
	oursSQLite     = "ours-sqlite"
	bareDecisions  = "bare"
	groupSQLite    = "group-sqlite"
	insertSQLite   = "insert-sqlite"
	oursPostgres   = "ours-postgres"
	copyPostgres   = "copy-postgres"
	insertPostgres = "insert-postgres"
	oursPreview    = "ours-preview"
	barePreview    = "bare-preview"
	humaPreview    = "huma-preview"
	strictPreview  = "oapi-preview"
)

func contestants() []contestant {
	return []contestant{
		{oursSQLite, roleOurs, sqlite, pathDecisions, true},
		{bareDecisions, roleBare, nothing, pathDecisions, true},
		{groupSQLite, roleGroup, sqlite, pathDecisions, true},
		{insertSQLite, roleInsert, sqlite, pathDecisions, true},
		{oursPostgres, roleOurs, postgreSQL, pathDecisions, true},
		{copyPostgres, roleGroup, postgreSQL, pathDecisions, true},
		{insertPostgres, roleInsert, postgreSQL, pathDecisions, true},
		{oursPreview, roleOurs, sqlite, pathPreview, false},
		{barePreview, roleBare, nothing, pathPreview, false},
		{humaPreview, roleHuma, nothing, pathPreview, false},
		{strictPreview, roleStrict, nothing, pathPreview, false},
	}
}

// lap is the result of one contestant in one round.
type lap struct {
	many  loadResult // with all connections
	alone loadResult // with a single connection
}

// Contest measures all contestants in turns, in several rounds.
func Contest(ctx context.Context, o Options) (s board.Section, err error) {
	all := contestants()
	if o.Only != "" {
		var names []string
		for _, c := range all {
			names = append(names, c.name)
		}
		all = slices.DeleteFunc(all, func(c contestant) bool { return c.name != o.Only })
		if len(all) == 0 {
			return s, fmt.Errorf("unknown contestant %q; the contestants are %s", o.Only, strings.Join(names, ", "))
		}
	}
	g, err := newEnvironment(ctx, o, all)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, g.leave()) }()
	results, err := g.rounds(ctx, all)
	if err != nil {
		return s, err
	}
	s = results.section(o)
	if o.Only != "" {
		return s, nil
	}
	table, err := g.profile(ctx, all)
	if err != nil {
		return s, err
	}
	s.Tables = append(s.Tables, table)
	return s, nil
}

// profile sends load to our service once more on both databases, for longer, and returns
// how its CPU time is divided. The rounds run without a profile, because profiling costs
// time.
func (g *environment) profile(ctx context.Context, all []contestant) (t board.Table, err error) {
	found := map[string]map[string]float64{}
	lap, profiles := g.options.Lap, g.options.Profiles
	defer func() { g.options.Lap, g.options.Profiles = lap, profiles }()
	g.options.Lap = 4 * lap
	if profiles == "" {
		g.options.Profiles = g.folder
	}
	for _, c := range all {
		if c.name != oursSQLite && c.name != oursPostgres {
			continue
		}
		measure.Progress("service, profile of %s", c.name)
		if _, err := g.turn(ctx, c, g.load); err != nil {
			return t, fmt.Errorf("%s: %w", c.name, err)
		}
		if found[c.name], err = shares(filepath.Join(g.options.Profiles, c.name+".cpu.prof")); err != nil {
			return t, err
		}
	}
	measure.Progress("")
	return shareTable(found[oursSQLite], found[oursPostgres]), nil
}

// environment holds the resources of the contest: a folder and, if a contestant needs
// one, a PostgreSQL server.
type environment struct {
	options  Options
	folder   string
	postgres *pgcluster.Cluster
}

func newEnvironment(ctx context.Context, o Options, all []contestant) (g *environment, err error) {
	g = &environment{options: o}
	if o.Profiles != "" {
		if err := os.MkdirAll(o.Profiles, 0o750); err != nil {
			return nil, err
		}
	}
	if g.folder, err = os.MkdirTemp("", "verdict-bench-"); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(c contestant) bool { return c.database == postgreSQL }) {
		if g.postgres, err = StartPostgres(ctx); err != nil {
			return nil, errors.Join(err, g.leave())
		}
	}
	return g, nil
}

func (g *environment) leave() (err error) {
	if g.postgres != nil {
		err = g.postgres.Close()
	}
	return errors.Join(err, os.RemoveAll(g.folder))
}

// rounds measures each contestant in every round. It reverses the order after each
// round, so that a contestant does not always follow the same other contestant.
func (g *environment) rounds(ctx context.Context, all []contestant) (results, error) {
	r := results{}
	order := slices.Clone(all)
	for round := range g.options.Rounds {
		for i, c := range order {
			measure.Progress("service, round %d of %d, %d of %d: %s",
				round+1, g.options.Rounds, i+1, len(order), c.name)
			l, err := g.turn(ctx, c, g.load)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			r[c.name] = append(r[c.name], l)
		}
		slices.Reverse(order)
	}
	measure.Progress("")
	return r, nil
}

// loader sends requests to a contestant's server and returns the result.
type loader func(ctx context.Context, c contestant, s *server, key string) (lap, error)

// turn starts a contestant on a new database, sends load to it and stops it. It returns
// an error if the number of stored decisions differs from the number of answers.
func (g *environment) turn(ctx context.Context, c contestant, load loader) (l lap, err error) {
	databaseURL, dispose, err := g.database(ctx, c)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, dispose()) }()
	order := childOrder{Role: c.role, Database: databaseURL}
	if g.options.Profiles != "" {
		order.Profile = filepath.Join(g.options.Profiles, c.name)
	}
	s, err := startServer(ctx, order)
	if err != nil {
		return l, err
	}
	var who Customer
	if c.role == roleOurs {
		who, err = SignUp(ctx, s.address)
	}
	if err == nil {
		l, err = load(ctx, c, s, who.Key)
	}
	if err = errors.Join(err, s.stop()); err != nil {
		return l, fmt.Errorf("%w; its log:\n%s", err, s.stderr)
	}
	stored, err := count(ctx, c, databaseURL, who)
	if err != nil {
		return l, fmt.Errorf("count the stored decisions: %w", err)
	}
	if answered := l.many.Answers + l.alone.Answers; stored >= 0 && stored != answered {
		return l, fmt.Errorf("%d decisions were answered and %d are stored", answered, stored)
	}
	return l, nil
}

func (g *environment) load(ctx context.Context, c contestant, s *server, key string) (l lap, err error) {
	order := loadOrder{
		Address:     s.address,
		Path:        c.path,
		Key:         key,
		Connections: g.options.Connections,
		Warm:        g.options.Warm,
		Lap:         g.options.Lap,
		Server:      s.cmd.Process.Pid,
	}
	if c.database == postgreSQL {
		order.Database = g.postgres.Pid()
	}
	unix.Sync() // flush, so that this contestant does not wait for the writes of the previous one
	if l.many, err = load(ctx, order); err != nil || !c.alone || g.options.Profiles != "" {
		return l, err
	}
	order.Connections, order.Warm, order.Lap = 1, order.Warm/2, order.Lap/2
	l.alone, err = load(ctx, order)
	return l, err
}

// database creates the database of a contestant and returns a function that removes it.
func (g *environment) database(
	ctx context.Context, c contestant,
) (databaseURL string, dispose func() error, err error) {
	switch c.database {
	case sqlite:
		path := filepath.Join(g.folder, "bench.db")
		return "sqlite:" + path, func() (err error) {
			for _, part := range []string{"", "-wal", "-shm"} {
				if failed := os.Remove(path + part); failed != nil && !errors.Is(failed, os.ErrNotExist) {
					err = errors.Join(err, failed)
				}
			}
			return err
		}, nil
	case postgreSQL:
		databaseURL, err = emptyDatabase(ctx, g.postgres, "bench")
		return databaseURL, func() error { return g.postgres.Drop(context.WithoutCancel(ctx), "bench") }, err
	default:
		return "", func() error { return nil }, nil
	}
}

// count returns the number of stored decisions, or -1 if the contestant stores none.
func count(ctx context.Context, c contestant, databaseURL string, who Customer) (int, error) {
	path, isSQLite := strings.CutPrefix(databaseURL, "sqlite:")
	switch {
	case c.path == pathPreview || c.database == nothing:
		return -1, nil
	case c.role == roleOurs:
		return countOurs(ctx, databaseURL, who)
	case isSQLite:
		return countSQLite(ctx, path)
	default:
		return countPostgres(ctx, databaseURL)
	}
}
