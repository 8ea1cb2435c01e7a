// Package growth measures the product itself, built as for a release. It measures how
// speed and memory change with the number of stored decisions, tenants and nodes. It
// also measures the fixed costs of the process: the time until the first answer, the
// idle memory, and the size of the binary.
package growth

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"verdict/bench/service"
	"verdict/internal/logkey"
)

// build builds the binary as the Makefile does, but without the commit, and
// returns its path.
func build(ctx context.Context, folder string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "verdict").Output()
	if err != nil {
		return "", fmt.Errorf("find the product's module: %w", err)
	}
	path := filepath.Join(folder, "verdict")
	//nolint:gosec // It builds our own module into a temporary folder.
	cmd := exec.CommandContext(ctx, "go", "-C", strings.TrimSpace(string(root)), "build",
		"-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, "./cmd/verdict")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the product: %w: %s", err, out)
	}
	return path, nil
}

// node is a running binary.
type node struct {
	cmd     *exec.Cmd
	address string
	stderr  bytes.Buffer
	ready   time.Duration // time from the start until the node answers that it is ready
	folder  string        // folder of the log key
}

// start runs the binary on a database and waits until the node is ready. The rate limits
// are so high that a measurement does not reach them; the service still counts every
// request.
func start(ctx context.Context, binary, databaseURL string) (*node, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	n := &node{address: address}
	if n.folder, err = os.MkdirTemp("", "growth-"); err != nil {
		return nil, err
	}
	key := filepath.Join(n.folder, "log-key")
	if _, err := logkey.Create(key, strings.NewReader(strings.Repeat("k", ed25519.SeedSize))); err != nil {
		return nil, errors.Join(err, os.RemoveAll(n.folder))
	}
	//nolint:gosec // The binary is our own.
	n.cmd = exec.CommandContext(ctx, binary, "serve", "-addr", address, "-database-url", databaseURL,
		"-rate-decide", "1000000000/s", "-rate-write", "1000000000/s", "-plan-quotas", "free=1000000000000")
	// Set the keys with variables, because older binaries do not have the flags. Encryption is off: fill has
	// stored the decisions unencrypted, and encrypting them would disturb the measurement.
	n.cmd.Env = append(os.Environ(), "VERDICT_LOG_KEY="+key, "VERDICT_MASTER_KEY=off")
	n.cmd.Stderr = &n.stderr
	n.cmd.Cancel = func() error { return n.cmd.Process.Signal(syscall.SIGTERM) }
	n.cmd.WaitDelay = 10 * time.Second
	begun := time.Now()
	if err := n.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the product: %w", err)
	}
	if err := n.await(ctx); err != nil {
		return nil, errors.Join(err, n.stop(), errors.New(n.stderr.String()))
	}
	n.ready = time.Since(begun)
	return n, nil
}

func (n *node) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if _, err := request(ctx, http.MethodGet, "http://"+n.address+"/readyz", "", nil); err == nil {
			return nil
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return fmt.Errorf("the product is not ready: %w", err)
		}
	}
}

func (n *node) stop() error {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // fails if the process has already ended
	if err := n.cmd.Wait(); err != nil {
		return fmt.Errorf("the product ended with %w: %s", err, n.stderr.String())
	}
	return os.RemoveAll(n.folder)
}

// memory returns the resident memory of the process, in bytes.
func (n *node) memory() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the process's memory: %w", err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	text, _, _ := strings.Cut(after, "kB")
	kilobytes, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("read the process's memory: %w", err)
	}
	return float64(kilobytes) * 1024, nil
}

// ask sends a request to the node and returns the body of the answer. It returns an
// error if the status is 300 or above.
func (n *node) ask(ctx context.Context, method, path, key string, body []byte) ([]byte, error) {
	return request(ctx, method, "http://"+n.address+path, key, body)
}

func request(ctx context.Context, method, url, key string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s: %s", method, url, response.Status, data)
	}
	return data, err
}

func (n *node) signUp(ctx context.Context) (service.Customer, error) {
	return service.SignUp(ctx, n.address)
}

// freeAddress returns an address on which no program listens at present.
func freeAddress(ctx context.Context) (string, error) {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free address: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

// pause waits for d. It returns an error if ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
