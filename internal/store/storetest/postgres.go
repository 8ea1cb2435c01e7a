package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// startTimeout bounds the making and the starting of a server.
const startTimeout = 60 * time.Second

// startPostgres makes a server in a temporary folder, reachable through a
// socket in that folder and no other way, with a role that may create
// databases and is bound by row-level security.
func startPostgres() (base string, halt func(), err error) {
	bin, err := postgresPrograms()
	if err != nil {
		return "", nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "vpg") // short: a socket's path has 107 bytes
	if err != nil {
		return "", nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) } // a leftover folder fails no test
	if as != nil {
		err = os.Chown(dir, int(as.Uid), int(as.Gid))
	}
	if err == nil {
		err = initialise(bin, dir, as)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	stop, err := launch(bin, dir, as)
	if err != nil {
		remove()
		return "", nil, err
	}
	halt = func() {
		stop()
		remove()
	}
	admin := "postgres://postgres@/postgres?port=5432&host=" + dir
	if err := prepare(admin); err != nil {
		halt()
		return "", nil, err
	}
	return "postgres://verdict@/postgres?port=5432&host=" + dir, halt, nil
}

// postgresPrograms finds initdb and postgres; Debian keeps them off PATH, one
// folder for each major version, and the newest is taken.
func postgresPrograms() (dir string, err error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(folders, func(a, b string) int { return major(b) - major(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		_, noInitdb := os.Stat(filepath.Join(folder, "initdb"))
		_, noServer := os.Stat(filepath.Join(folder, "postgres"))
		if noInitdb == nil && noServer == nil {
			return folder, nil
		}
	}
	return "", errors.New("initdb and postgres are neither on PATH nor under /usr/lib/postgresql")
}

func major(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0 sorts last
	return n
}

// unprivileged is whom the server runs as: PostgreSQL refuses to be root. Nil
// means as we are.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("running as root, and there is no user postgres to run the server as")
}

func initialise(bin, dir string, as *syscall.Credential) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata", filepath.Join(dir, "data"),
		"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	initdb.Dir = dir
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return nil
}

// launch starts the server and returns when it was started, not yet when it
// answers. It dies with the test process, even when that is killed.
func launch(bin, dir string, as *syscall.Credential) (stop func(), err error) {
	var output bytes.Buffer
	postgres := exec.CommandContext(context.Background(), filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"),
		"-k", dir, "-c", "listen_addresses=", "-c", "max_connections=300", "-c", "shared_buffers=64MB",
		"-c", "max_wal_size=256MB", "-c", "logging_collector=off")
	postgres.Dir = dir
	postgres.Stderr = &output
	postgres.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The kernel ties the parent's death to the thread that started it.
		runtime.LockOSThread()
		defer close(ended)
		if err := postgres.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		_ = postgres.Wait() // stopped by a signal, which is an error to exec
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return func() {
		_ = postgres.Process.Signal(syscall.SIGQUIT) // it may have ended already
		<-ended
	}, nil
}

// prepare waits until the server answers and makes the role of the tests.
func prepare(admin string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	db, err := openRaw(admin)
	if err != nil {
		return err
	}
	for {
		if err = db.PingContext(ctx); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("postgres does not answer: %w", err), db.Close())
		case <-time.After(20 * time.Millisecond):
		}
	}
	_, err = db.ExecContext(ctx, "CREATE ROLE verdict LOGIN CREATEDB")
	return errors.Join(err, db.Close())
}
