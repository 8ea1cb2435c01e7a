package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// readyWithin is how long a node may take to be ready on a busy machine.
	readyWithin = 60 * time.Second
	// endWithin is how long a node may take to end after SIGTERM. It is longer
	// than the node's grace period.
	endWithin = 40 * time.Second
)

// Node is a process of the service. After a kill it can be started again, on
// another port.
type Node struct {
	command func() *exec.Cmd
	log     *logFile
	process *process
	url     string
}

// newNode returns a node that is not running yet. All runs of the node write to
// the same log.
func newNode(path string, command func() *exec.Cmd) (*Node, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &Node{command: command, log: &logFile{file: file, ready: make(chan string, 1)}}, nil
}

// Start starts the process and waits until it has logged its address and its
// readiness check succeeds.
func (n *Node) Start(ctx context.Context) (err error) {
	n.log.begin()
	if n.process, err = start(n.log, n.command()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case address := <-n.log.ready:
		n.url = "http://" + address
		return n.await(ctx)
	case <-n.process.ended:
		return fmt.Errorf("the node has ended: %w\n%s", n.process.err, n.log.last())
	case <-ctx.Done():
		n.Kill()
		return fmt.Errorf("the node is not ready after %s:\n%s", readyWithin, n.log.last())
	}
}

// awaitReady waits until the readiness check succeeds, but at most as long as a start may take.
func (n *Node) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	return n.await(ctx)
}

// await waits until the readiness check succeeds.
func (n *Node) await(ctx context.Context) error {
	for {
		status, err := n.readiness(ctx)
		if status == http.StatusOK {
			return nil
		}
		select {
		case <-n.process.ended:
			return fmt.Errorf("the node has ended: %w\n%s", n.process.err, n.log.last())
		case <-ctx.Done():
			return fmt.Errorf("the node is not ready: status %d, %w\n%s", status, err, n.log.last())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (n *Node) readiness(ctx context.Context) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url+"/readyz", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// URL returns the base URL of the node since its last start.
func (n *Node) URL() string { return n.url }

// Pid returns the process id.
func (n *Node) Pid() int { return n.process.pid() }

// Alive reports whether the process is running.
func (n *Node) Alive() bool {
	if n.process == nil {
		return false
	}
	select {
	case <-n.process.ended:
		return false
	default:
		return true
	}
}

// Kill ends the node with SIGKILL.
func (n *Node) Kill() {
	if n.process != nil {
		n.process.kill()
	}
}

// Term sends SIGTERM and waits. It returns an error if the node does not end,
// or ends with an error.
func (n *Node) Term() error {
	if err := n.process.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-n.process.ended:
	case <-time.After(endWithin):
		n.Kill()
		return fmt.Errorf("the node has not ended %s after SIGTERM:\n%s", endWithin, n.log.last())
	}
	if err := n.process.err; err != nil {
		return fmt.Errorf("the node ended after SIGTERM with %w:\n%s", err, n.log.last())
	}
	return nil
}

// close kills the node and closes its log.
func (n *Node) close() error {
	n.Kill()
	return n.log.file.Close()
}

// logFile stores the log of a node. It detects the line that says that the node is ready.
type logFile struct {
	file  *os.File
	ready chan string

	mu    sync.Mutex
	line  []byte // the beginning of a line that is not complete yet
	tail  []byte
	found bool
}

const tailKept = 4 << 10

// begin resets the state before a new run of the node.
func (l *logFile) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line, l.tail, l.found = nil, nil, false
	select {
	case <-l.ready:
	default:
	}
}

func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = append(l.tail, p...)
	l.tail = l.tail[max(0, len(l.tail)-tailKept):]
	if !l.found {
		l.line = append(l.line, p...)
		l.listen()
	}
	return l.file.Write(p)
}

// listen removes complete lines and checks each for the ready message.
func (l *logFile) listen() {
	for !l.found {
		line, rest, whole := bytes.Cut(l.line, []byte("\n"))
		if !whole {
			return
		}
		l.line = rest
		var said struct{ Msg, Address string }
		if json.Unmarshal(line, &said) == nil && said.Msg == "ready" {
			l.found, l.line = true, nil
			l.ready <- said.Address
		}
	}
}

// last returns the end of the log.
func (l *logFile) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.tail)
}
