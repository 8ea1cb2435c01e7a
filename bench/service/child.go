package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/pprof"
	"strings"
	"time"
)

// childVariable is the environment variable that contains the order of a child
// process.
const childVariable = "BENCH_CHILD"

// The paths that are measured.
const (
	pathDecisions = "/v1/decisions"
	pathPreview   = "/v1/decisions/preview"
)

// The roles of a child process.
const (
	roleOurs   = "ours"
	roleBare   = "bare"
	roleInsert = "insert" // bare, with one transaction for each request
	roleGroup  = "group"  // bare, with one commit for all requests that wait together
	roleHuma   = "huma"   // bare, with the framework huma
	roleStrict = "strict" // bare, with the code that oapi-codegen writes for a strict server
	roleLoad   = "load"
)

// childOrder describes the work of a child process.
type childOrder struct {
	Role     string
	Database string
	Profile  string    // path prefix of the server's profiles; "" for none
	Load     loadOrder // set for roleLoad
}

// RunChild reports whether this process is a child. If it is, RunChild first does
// the child's work.
func RunChild() bool {
	text := os.Getenv(childVariable)
	if text == "" {
		return false
	}
	if err := runChild(text); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	return true
}

// runChild serves until standard input ends, or sends load until the load or the
// input ends. The input ends when the parent ends, so no child outlives the parent.
func runChild(text string) error {
	var order childOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	switch order.Role {
	case roleLoad:
		result, err := runLoad(ctx, order.Load)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	case roleOurs:
		return profiled(order.Profile, func() error { return serveOurs(ctx, order) })
	default:
		return profiled(order.Profile, func() error { return serveBare(ctx, order) })
	}
}

// announce prints the address of a server, which the parent reads.
func announce(address string) error {
	_, err := fmt.Fprintln(os.Stdout, address)
	return err
}

// profiled runs serve and writes a CPU profile and a profile of all allocations.
func profiled(prefix string, serve func() error) error {
	if prefix == "" {
		return serve()
	}
	cpu, err := os.Create(prefix + ".cpu.prof")
	if err != nil {
		return fmt.Errorf("create the profile: %w", err)
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return fmt.Errorf("start the profile: %w", err)
	}
	err = serve()
	pprof.StopCPUProfile()
	allocs, failed := os.Create(prefix + ".allocs.prof")
	if failed == nil {
		failed = errors.Join(pprof.Lookup("allocs").WriteTo(allocs, 0), allocs.Close())
	}
	return errors.Join(err, cpu.Close(), failed)
}

// server is a child process that answers requests.
type server struct {
	cmd     *exec.Cmd
	address string
	stdin   io.Closer
	stderr  *bytes.Buffer
}

func command(ctx context.Context, order childOrder) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self) //nolint:gosec // The program runs itself.
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

// startServer starts a child process and waits until it listens.
func startServer(ctx context.Context, order childOrder) (*server, error) {
	cmd, err := command(ctx, order)
	if err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = s.stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	if _, err := fmt.Fscanln(stdout, &s.address); err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start: %w", order.Role, err), s.stop())
	}
	return s, nil
}

// stop ends the child process and waits for its end.
func (s *server) stop() error {
	_ = s.stdin.Close() // fails if the child has already ended
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the server ended with %w: %s", err, strings.TrimSpace(s.stderr.String()))
	}
	return nil
}

// load sends requests from a child process.
func load(ctx context.Context, order loadOrder) (result loadResult, err error) {
	cmd, err := command(ctx, childOrder{Role: roleLoad, Load: order})
	if err != nil {
		return result, err
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return result, err
	}
	defer func() { _ = stdin.Close() }() // fails if the child has already ended
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return result, fmt.Errorf("the load ended with %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return result, fmt.Errorf("read the load's result: %w", err)
	}
	return result, nil
}
