package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres is a server of our own, thrown away at the end: durable as it is by
// default (fsync and synchronous_commit on), with memory and a log large enough
// that no checkpoint comes into a lap by itself.
type postgres struct {
	folder string
	cmd    *exec.Cmd
	log    bytes.Buffer
	admin  *pgx.Conn
}

var postgresSettings = []string{"listen_addresses=", "max_connections=200", "shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=1h"}

// startPostgres makes and starts a server that is reached through a socket in
// its folder and no other way.
func startPostgres(ctx context.Context) (_ *postgres, err error) {
	bin, err := postgresFolder()
	if err != nil {
		return nil, err
	}
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	p := &postgres{}
	if p.folder, err = os.MkdirTemp("", "bpg"); err != nil { // short: a socket's path has 107 bytes
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.stop())
		}
	}()
	if account != nil {
		if err := os.Chown(p.folder, int(account.Uid), int(account.Gid)); err != nil {
			return nil, err
		}
	}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(bin, name), args...) //nolint:gosec // PostgreSQL's own programs.
		cmd.Dir = p.folder
		// The server ends when this process does, however that happens.
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
		return cmd
	}
	data := filepath.Join(p.folder, "data")
	made := run("initdb", "--pgdata", data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	if output, err := made.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, output)
	}
	args := []string{"-D", data, "-k", p.folder}
	for _, setting := range postgresSettings {
		args = append(args, "-c", setting)
	}
	p.cmd = run("postgres", args...)
	p.cmd.Stderr = &p.log
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare waits for the server and makes the role that everybody connects as;
// row-level security binds it, as it would in production.
func (p *postgres) prepare(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if p.admin, err = pgx.Connect(ctx, p.url("postgres", "postgres")); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	_, err = p.admin.Exec(ctx, "CREATE ROLE verdict LOGIN CREATEDB")
	return err
}

func (p *postgres) url(role, database string) string {
	return fmt.Sprintf("postgres://%s@/%s?port=5432&host=%s", role, database, p.folder)
}

// create makes an empty database. The checkpoint makes everybody begin with a
// clean log.
func (p *postgres) create(ctx context.Context, name string) (databaseURL string, err error) {
	for _, statement := range []string{"CREATE DATABASE " + name + " OWNER verdict", "CHECKPOINT"} {
		if _, err := p.admin.Exec(ctx, statement); err != nil {
			return "", fmt.Errorf("make a database: %w", err)
		}
	}
	return p.url("verdict", name), nil
}

func (p *postgres) drop(ctx context.Context, name string) error {
	_, err := p.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	return err
}

func (p *postgres) pid() int { return p.cmd.Process.Pid }

func (p *postgres) stop() error {
	if p.admin != nil {
		_ = p.admin.Close(context.Background()) // the server is about to end
	}
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it may have ended already
		_ = p.cmd.Wait()                          // a server that is thrown away may end as it likes
	}
	return os.RemoveAll(p.folder)
}

// postgresFolder finds the newest server that is installed; Debian keeps them
// off PATH.
func postgresFolder() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4]) // 0 sorts first
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", errors.New("there is no PostgreSQL under /usr/lib/postgresql nor on PATH; scripts/deps test installs it")
	}
	return filepath.Dir(path), nil
}

// serverAccount is whom the server runs as: PostgreSQL refuses to be root. Nil
// means as we are.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
