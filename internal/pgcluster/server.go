package pgcluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// command returns the command for one of PostgreSQL's programs, in the
// cluster's folder. The program ends when this process ends for any reason.
func (c *Cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, name), args...) //nolint:gosec // PostgreSQL's own programs
	cmd.Dir = c.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.account, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	return cmd
}

// run runs one of PostgreSQL's programs and returns its output.
func run(cmd *exec.Cmd) ([]byte, error) {
	// The kernel sends the parent-death signal when the thread that started the child
	// ends, so the thread must not end before the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// pg_basebackup has a child process that may outlive it and keep the output open.
	cmd.WaitDelay = outputWithin
	return cmd.CombinedOutput()
}

// outputWithin is how long run waits for output after the program has ended.
const outputWithin = 5 * time.Second

// server holds the processes of one start of PostgreSQL.
type server struct {
	cmd   *exec.Cmd
	ended chan struct{}
	log   lastWords
}

// launch starts the server. It does not wait until the server answers.
func launch(cmd *exec.Cmd) (*server, error) {
	s := &server{cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = &s.log
	started := make(chan error)
	go func() {
		// The kernel sends the parent-death signal when the thread that started the child
		// ends, so the thread must not end before the child.
		runtime.LockOSThread()
		defer close(s.ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // os/exec reports a signal as an error
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return s, nil
}

func (s *server) pid() int { return s.cmd.Process.Pid }

func (s *server) end(signal os.Signal) {
	_ = s.cmd.Process.Signal(signal) // fails if the process has already ended
	<-s.ended
}

// kill kills all processes. It stops the first process before it lists the
// others, so that the first process cannot start more in the meantime.
func (s *server) kill() {
	_ = s.cmd.Process.Signal(syscall.SIGSTOP)
	family := children(s.pid())
	_ = s.cmd.Process.Kill()
	for _, child := range family {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	<-s.ended
}

// said returns the end of the server's log.
func (s *server) said() string { return s.log.String() }

// children returns the child processes of a process.
func children(parent int) []int {
	var found []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // fails only for a malformed pattern
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended in the meantime
		}
		// The format is "pid (name) state parent …". The name may contain any
		// character.
		_, rest, _ := strings.Cut(string(data[bytes.LastIndexByte(data, ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

// lastWords stores the last bytes written to it. It is safe for concurrent use.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

const wordsKept = 8 << 10

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-wordsKept):]
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}
