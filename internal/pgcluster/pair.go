package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Standby starts a standby of this server and waits until the standby answers.
// name is the name of the standby for synchronous_standby_names. The caller
// must close the standby.
func (c *Cluster) Standby(ctx context.Context, name string) (_ *Cluster, err error) {
	s := &Cluster{settings: c.settings, bin: c.bin, account: c.account}
	if s.folder, err = os.MkdirTemp("", "vpg"); err != nil {
		return nil, err
	}
	if err := s.Follow(ctx, c, name); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Follow turns the server into a standby of primary. The server's address stays
// the same, and its own data is deleted.
func (c *Cluster) Follow(ctx context.Context, primary *Cluster, name string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	c.Kill()
	if err := errors.Join(os.RemoveAll(c.data()), c.own()); err != nil {
		return err
	}
	from := fmt.Sprintf("host=%s port=5432 user=postgres application_name=%s", primary.folder, name)
	backup := c.command(ctx, "pg_basebackup", "--pgdata", c.data(), "--dbname", from,
		"--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync")
	if output, err := run(backup); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, output)
	}
	// After a promotion, this server must not wait for a standby until
	// Synchronous is called.
	settings, err := os.OpenFile(filepath.Join(c.data(), "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = settings.WriteString("synchronous_standby_names = ''\n")
	if err := errors.Join(err, settings.Close()); err != nil {
		return err
	}
	return c.Restart(ctx)
}

// own makes the user that runs the server the owner of the folder.
func (c *Cluster) own() error {
	if c.account == nil {
		return nil
	}
	return os.Chown(c.folder, int(c.account.Uid), int(c.account.Gid))
}

// Synchronous makes commits wait for the named standby, or for no standby if name
// is "". It returns when this applies to every new commit.
func (c *Cluster) Synchronous(ctx context.Context, name string) error {
	err := c.Execute(ctx, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'", "SELECT pg_reload_conf()")
	for err == nil {
		var now string
		if now, err = c.ask(ctx, "SHOW synchronous_standby_names"); now == name {
			break
		}
	}
	return err
}

// Promote turns a standby into a primary and returns when the server accepts
// writes.
func (c *Cluster) Promote(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return c.Execute(ctx, "SELECT pg_promote(true, 60)")
}

// Freeze stops all processes of the server with SIGSTOP, as if its machine hung.
// Connections stay open, and the kernel accepts new connections. Thaw continues
// the processes.
func (c *Cluster) Freeze() { c.signalAll(syscall.SIGSTOP) }

// Thaw continues the processes that Freeze stopped.
func (c *Cluster) Thaw() { c.signalAll(syscall.SIGCONT) }

func (c *Cluster) signalAll(signal syscall.Signal) {
	if c.server == nil {
		return
	}
	_ = syscall.Kill(c.Pid(), signal) // stop the parent first, so that it starts no process in the meantime
	for _, child := range children(c.Pid()) {
		_ = syscall.Kill(child, signal)
	}
}

// URLs returns the URL of a database for Role with all servers as hosts, in the
// given order. A client uses the host that accepts writes.
func URLs(database string, clusters ...*Cluster) string {
	folders, ports := make([]string, len(clusters)), make([]string, len(clusters))
	for i, c := range clusters {
		folders[i], ports[i] = c.folder, "5432"
	}
	return fmt.Sprintf("postgres://%s@/%s?host=%s&port=%s",
		Role, database, strings.Join(folders, ","), strings.Join(ports, ","))
}
