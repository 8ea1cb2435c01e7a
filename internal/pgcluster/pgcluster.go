// Package pgcluster runs a PostgreSQL server of one's own in a temporary
// folder, for tests, benchmarks and proofs. It is reached through a socket in
// that folder and no other way, is as durable as PostgreSQL is by default, and
// can be stopped, killed and started again over the same data.
package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Role is whom URL connects as: it may create databases, and row-level
// security binds it as it would in production.
const Role = "verdict"

// startWithin bounds the making and the starting of a server.
const startWithin = 90 * time.Second

// Options choose what kind of server it is.
type Options struct {
	// Settings are lines of postgresql.conf, as in "max_connections=200"; they
	// beat the package's own.
	Settings []string
}

// settings are what every server gets: no network, and room for many databases
// that are used at once.
var settings = []string{"listen_addresses=", "max_connections=300", "shared_buffers=64MB", "max_wal_size=256MB", "logging_collector=off"}

// Cluster is a server and its data. Its methods are not for use at the same
// time, except URL.
type Cluster struct {
	folder   string // of the socket and the data
	bin      string // of PostgreSQL's programs
	account  *syscall.Credential
	settings []string
	server   *server // nil while it is down
}

// Start makes a server and waits until it answers. Whoever starts it closes it;
// should this process die without that, the server stops by itself.
func Start(ctx context.Context, o Options) (_ *Cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	c := &Cluster{settings: append(append([]string{}, settings...), o.Settings...)}
	if c.bin, err = programs(); err != nil {
		return nil, err
	}
	if c.account, err = unprivileged(); err != nil {
		return nil, err
	}
	if c.folder, err = os.MkdirTemp("", "vpg"); err != nil { // short: a socket's path has 107 bytes
		return nil, err
	}
	if err := c.begin(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// begin makes the data, starts the server and makes the role.
func (c *Cluster) begin(ctx context.Context) error {
	if err := c.own(); err != nil {
		return err
	}
	initdb := c.command(ctx, "initdb", "--pgdata", c.data(), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	if err := c.Restart(ctx); err != nil {
		return err
	}
	return c.Execute(ctx, "CREATE ROLE "+Role+" LOGIN CREATEDB")
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// URL is how to reach a database as Role; "postgres" is always there.
func (c *Cluster) URL(database string) string { return c.url(Role, database) }

func (c *Cluster) url(role, database string) string {
	return fmt.Sprintf("postgres://%s@/%s?port=5432&host=%s", role, database, c.folder)
}

// Socket is the path of the server's socket, for who passes bytes on.
func (c *Cluster) Socket() string { return filepath.Join(c.folder, ".s.PGSQL.5432") }

// Execute runs statements as the superuser, each outside of a transaction.
func (c *Cluster) Execute(ctx context.Context, statements ...string) error {
	admin, err := pgx.Connect(ctx, c.url("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	for _, statement := range statements {
		if _, err = admin.Exec(ctx, statement); err != nil {
			err = fmt.Errorf("%s: %w", statement, err)
			break
		}
	}
	return errors.Join(err, admin.Close(context.WithoutCancel(ctx)))
}

// ask returns the one value, as text, that a statement answers to the superuser.
func (c *Cluster) ask(ctx context.Context, statement string) (value string, err error) {
	admin, err := pgx.Connect(ctx, c.url("postgres", "postgres"))
	if err != nil {
		return "", fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	if err = admin.QueryRow(ctx, statement).Scan(&value); err != nil {
		err = fmt.Errorf("%s: %w", statement, err)
	}
	return value, errors.Join(err, admin.Close(context.WithoutCancel(ctx)))
}

// Create makes an empty database of Role and returns its URL.
func (c *Cluster) Create(ctx context.Context, database string) (databaseURL string, err error) {
	return c.URL(database), c.Execute(ctx, "CREATE DATABASE "+database+" OWNER "+Role)
}

// Drop drops a database and whoever is connected to it.
func (c *Cluster) Drop(ctx context.Context, database string) error {
	return c.Execute(ctx, "DROP DATABASE "+database+" WITH (FORCE)")
}

// Pid is the server's first process; 0 while it is down.
func (c *Cluster) Pid() int {
	if c.server == nil {
		return 0
	}
	return c.server.pid()
}

// Stop ends the server as an operator does who cannot wait: connections are
// cut, transactions rolled back, everything is written. The data stays.
func (c *Cluster) Stop() {
	if c.server != nil {
		c.server.end(syscall.SIGINT)
		c.server = nil
	}
}

// Kill is kill -9 of all processes of the server at once, as when the machine's
// memory runs out: what it finds when it comes back is what it had written.
func (c *Cluster) Kill() {
	if c.server != nil {
		c.server.kill()
		c.server = nil
	}
}

// Restart starts the server over its data, after Stop or Kill or out of running,
// and waits until it answers.
func (c *Cluster) Restart(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	c.Stop()
	args := []string{"-D", c.data(), "-k", c.folder}
	for _, setting := range c.settings {
		args = append(args, "-c", setting)
	}
	// Not the caller's context: the server outlives the call.
	if c.server, err = launch(c.command(context.WithoutCancel(ctx), "postgres", args...)); err != nil {
		return err
	}
	return c.await(ctx)
}

// await waits until the server answers.
func (c *Cluster) await(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.Execute(ctx, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, c.server.said())
		case <-c.server.ended:
			return fmt.Errorf("PostgreSQL has ended: %s", c.server.said())
		case <-tick.C:
		}
	}
}

// Close ends the server and removes its data.
func (c *Cluster) Close() error {
	if c.server != nil {
		c.Thaw()
		c.server.end(syscall.SIGQUIT) // nobody will want the data
		c.server = nil
	}
	return os.RemoveAll(c.folder)
}
