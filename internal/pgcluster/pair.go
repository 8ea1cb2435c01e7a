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

// Standby makes a server that follows this one, by the name that its setting
// synchronous_standby_names may hold, and waits until it answers. Whoever makes
// it closes it.
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

// Follow makes a server the standby of another one, under its old address and
// with new data; what it had is lost.
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
	if output, err := backup.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, output)
	}
	// Once it is promoted, it waits for nobody until it is told to.
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

// own gives the folder to whom the server runs as.
func (c *Cluster) own() error {
	if c.account == nil {
		return nil
	}
	return os.Chown(c.folder, int(c.account.Uid), int(c.account.Gid))
}

// Synchronous has commits wait for the standby of a name, "" for none, and
// returns when every new commit does.
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

// Promote makes a standby a primary, and returns when it takes writes.
func (c *Cluster) Promote(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return c.Execute(ctx, "SELECT pg_promote(true, 60)")
}

// Freeze stops all processes of the server where they are, as when its machine
// hangs: connections stay open, and new ones are taken by the kernel. Thaw lets
// them go on.
func (c *Cluster) Freeze() { c.signalAll(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (c *Cluster) Thaw() { c.signalAll(syscall.SIGCONT) }

func (c *Cluster) signalAll(signal syscall.Signal) {
	if c.server == nil {
		return
	}
	_ = syscall.Kill(c.Pid(), signal) // first, so that no process is born meanwhile
	for _, child := range children(c.Pid()) {
		_ = syscall.Kill(child, signal)
	}
}

// URLs is how to reach a database as Role on whichever of several servers takes
// writes, in their order.
func URLs(database string, clusters ...*Cluster) string {
	folders, ports := make([]string, len(clusters)), make([]string, len(clusters))
	for i, c := range clusters {
		folders[i], ports[i] = c.folder, "5432"
	}
	return fmt.Sprintf("postgres://%s@/%s?host=%s&port=%s",
		Role, database, strings.Join(folders, ","), strings.Join(ports, ","))
}
