// Package pgcluster runs a private PostgreSQL server in a temporary folder, for
// tests, benchmarks and the proof harness. The server can be reached only through
// a socket in that folder. Its durability settings are PostgreSQL's defaults. It
// can be stopped, killed and started again with the same data.
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

// Role is the role that URL connects as. It may create databases, and row-level
// security applies to it as in production.
const Role = "verdict"

// startWithin limits the time to create and start a server.
const startWithin = 90 * time.Second

// Options configures a server.
type Options struct {
	// Settings lists lines of postgresql.conf, such as "max_connections=200".
	// They override the settings of this package.
	Settings []string
	// Parent is the folder in which the server creates its own, such as a small disk. It must be short, because the
	// path of a socket is, and the user nobody must be allowed to enter it. If it is "", the folder for temporary
	// files is used.
	Parent string
}

// settings lists the settings of every server: no network, and enough
// connections for many databases in use at the same time.
var settings = []string{"listen_addresses=", "max_connections=300", "shared_buffers=64MB", "max_wal_size=256MB",
	"logging_collector=off"}

// Cluster is a server with its data. The methods that neither start nor stop the server are safe for concurrent use.
type Cluster struct {
	folder   string // holds the socket and the data
	bin      string // the folder of PostgreSQL's programs
	account  *syscall.Credential
	settings []string
	server   *server // nil while the server is down
}

// Start creates a server and waits until it answers. The caller must close it.
// If this process dies without Close, the server stops too.
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
	// The name is short, because the path of a socket has at most 107 bytes.
	if c.folder, err = os.MkdirTemp(o.Parent, "vpg"); err != nil {
		return nil, err
	}
	if err := c.begin(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// begin creates the data, starts the server and creates the role.
func (c *Cluster) begin(ctx context.Context) error {
	if err := c.own(); err != nil {
		return err
	}
	initdb := c.command(ctx, "initdb", "--pgdata", c.data(), "--username=postgres", "--auth=trust", "--encoding=UTF8",
		"--locale=C", "--no-sync")
	if output, err := run(initdb); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	if err := c.Restart(ctx); err != nil {
		return err
	}
	return c.Execute(ctx, "CREATE ROLE "+Role+" LOGIN CREATEDB")
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// Data returns the folder with the files of the server, for tests that read them.
func (c *Cluster) Data() string { return c.data() }

// URL returns the URL of a database for Role. The database "postgres" always
// exists.
func (c *Cluster) URL(database string) string { return c.url(Role, database) }

func (c *Cluster) url(role, database string) string {
	return fmt.Sprintf("postgres://%s@/%s?port=5432&host=%s", role, database, c.folder)
}

// Socket returns the path of the server's socket, for proxies.
func (c *Cluster) Socket() string { return filepath.Join(c.folder, ".s.PGSQL.5432") }

// Execute runs statements in the database "postgres" as the superuser, each outside of a transaction.
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

// ask runs a statement as the superuser and returns its single value as text.
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

// Create creates an empty database owned by Role and returns its URL.
func (c *Cluster) Create(ctx context.Context, database string) (databaseURL string, err error) {
	return c.URL(database), c.Execute(ctx, "CREATE DATABASE "+database+" OWNER "+Role)
}

// Drop drops a database and ends all connections to it.
func (c *Cluster) Drop(ctx context.Context, database string) error {
	return c.Execute(ctx, "DROP DATABASE "+database+" WITH (FORCE)")
}

// Pid returns the process id of the server, or 0 while the server is down.
func (c *Cluster) Pid() int {
	if c.server == nil {
		return 0
	}
	return c.server.pid()
}

// Up reports whether the server's first process runs. The process ends by itself if a crash recovery fails, for
// example because the disk is full.
func (c *Cluster) Up() bool {
	if c.server == nil {
		return false
	}
	select {
	case <-c.server.ended:
		return false
	default:
		return true
	}
}

// Stop stops the server in fast mode: the server closes connections, rolls back
// transactions and writes all data to disk. The data is not deleted.
func (c *Cluster) Stop() {
	if c.server != nil {
		c.server.end(syscall.SIGINT)
		c.server = nil
	}
}

// Kill kills all processes of the server together with SIGKILL, as if the machine
// ran out of memory. After a restart the server has the data that it had written
// before Kill.
func (c *Cluster) Kill() {
	if c.server != nil {
		c.server.kill()
		c.server = nil
	}
}

// Restart starts the server with its existing data and waits until it answers.
// The server may be stopped, killed or still running.
func (c *Cluster) Restart(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	c.Stop()
	args := []string{"-D", c.data(), "-k", c.folder}
	for _, setting := range c.settings {
		args = append(args, "-c", setting)
	}
	// The server outlives the call, so it must not use the caller's context.
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

// Close stops the server and removes its data.
func (c *Cluster) Close() error {
	if c.server != nil {
		c.Thaw()
		c.server.end(syscall.SIGQUIT) // the data is not needed any more
		c.server = nil
	}
	return os.RemoveAll(c.folder)
}
