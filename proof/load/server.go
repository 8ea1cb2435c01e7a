package load

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"verdict/internal/logkey"
	"verdict/internal/masterkey"
)

// Server is a running "verdict serve".
type Server struct {
	URL     string // URL of the API, without a trailing slash
	Metrics string // URL of the metrics
	process *exec.Cmd
	log     *os.File
}

// unlimited lists settings that turn off configured limits, because the load
// tests look for the limits of the machine and not for those of a price plan.
var unlimited = []string{
	"-rate-decide", "1000000000/s", "-rate-signup", "1000000/s", "-signups-each-day", "0",
	"-plan-quotas", "free=1000000000000", "-max-connections-each", "0",
}

// withKeys creates a log key and a master key in folder unless they exist, and adds their
// paths to the environment of a server. It uses no flags, because older binaries, which
// refuse an unknown flag, are measured too.
func withKeys(environment []string, folder string) ([]string, error) {
	log, master := filepath.Join(folder, "log-key"), filepath.Join(folder, "master-key")
	if _, err := logkey.Create(log, rand.Reader); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if _, err := masterkey.Create(master, rand.Reader); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return append(environment, "VERDICT_LOG_KEY="+log, "VERDICT_MASTER_KEY=file:"+master), nil
}

// StartServer runs a binary on a database and waits until it is ready. The
// server's log goes to a file in folder. settings are appended to the flags.
func StartServer(ctx context.Context, binary, databaseURL, folder string, settings ...string) (_ *Server, err error) {
	args := append([]string{"serve", "-welcome", "-addr", "127.0.0.1:0", "-metrics-addr", "127.0.0.1:0",
		"-database-url", databaseURL}, unlimited...)
	s := &Server{process: exec.CommandContext(ctx, binary,
		append(args, settings...)...)} //nolint:gosec // the binary under test
	if s.process.Env, err = withKeys(os.Environ(), folder); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	if s.log, err = os.Create(filepath.Join(folder, "serve.log")); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	s.process.Stderr = s.log
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the server: %w", err), s.log.Close())
	}
	lines := bufio.NewScanner(out)
	for s.URL == "" && lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "answers at"); found {
			s.URL = strings.TrimSpace(rest)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // drain the output, so that the server never blocks on it
	if s.Metrics, err = s.metricsAddress(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// metricsAddress waits for the log line with the address of the metrics.
func (s *Server) metricsAddress(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(s.log.Name())
		if err != nil {
			return "", err
		}
		if _, rest, found := strings.Cut(string(text), "msg=ready "); found && strings.Contains(rest, "\n") {
			_, rest, _ = strings.Cut(rest, " metrics=")
			address, _, _ := strings.Cut(rest, " ")
			return "http://" + address + "/metrics", nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("the server did not start; its log says %s", text)
		case <-tick.C:
		}
	}
}

// Addr returns the host and port of the API.
func (s *Server) Addr() string { return strings.TrimPrefix(s.URL, "http://") }

// Memory returns the present and the peak memory of the process, in bytes.
func (s *Server) Memory() (now, most int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read the server's memory: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "VmRSS:" && fields[0] != "VmHWM:" {
			continue
		}
		kib, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read the server's memory: %w", err)
		}
		if fields[0] == "VmHWM:" {
			most = kib << 10
		} else {
			now = kib << 10
		}
	}
	return now, most, nil
}

// tick is the unit of processor time in Linux.
const tick = 10 * time.Millisecond

// Busy returns the processor time that the process has used, to a hundredth of
// a second.
func (s *Server) Busy() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the server's processor time: %w", err)
	}
	// The name in parentheses may contain spaces. The times are fields 14 and
	// 15, where field 1 is the process id.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const user, system = 11, 12
	if len(fields) <= system {
		return 0, errors.New("read the server's processor time: there is none")
	}
	var sum time.Duration
	for _, field := range fields[user : system+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the server's processor time: %w", err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// LogBytes returns the size of the server's log.
func (s *Server) LogBytes() int64 {
	info, err := os.Stat(s.log.Name())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Stop sends SIGTERM to the server and waits until it has ended.
func (s *Server) Stop() error {
	err := s.process.Process.Signal(syscall.SIGTERM)
	if ended := s.process.Wait(); err == nil {
		err = ended
	}
	return errors.Join(err, s.log.Close())
}
