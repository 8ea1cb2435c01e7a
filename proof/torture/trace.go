package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// attachWithin is how long strace may take to attach.
const attachWithin = 20 * time.Second

// Injection is a fault that strace injects into the system calls of a running
// process.
type Injection struct {
	process *process
	said    *waiting
	trace   string // path of strace's output
}

// Inject makes system calls of a process slow or failing until Remove is
// called. what is strace's description of the fault, for example
// "fsync,fdatasync:delay_enter=200ms" or "pwrite64:error=EIO". trace is the
// path of strace's output.
func Inject(ctx context.Context, pid int, trace, what string) (*Injection, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return nil, errors.New("strace is not installed; \"scripts/deps test\" installs it")
	}
	calls, _, _ := strings.Cut(what, ":")
	args := []string{"-f", "-o", trace, "-e", "trace=" + calls, "-e", "signal=none", "-e", "inject=" + what, "-p",
		fmt.Sprint(pid)}
	i := &Injection{trace: trace, said: &waiting{attached: make(chan struct{})}}
	if i.process, err = start(i.said,
		exec.CommandContext(ctx, path, args...)); err != nil { //nolint:gosec // our own arguments
		return nil, err
	}
	select {
	case <-i.said.attached:
		return i, nil
	case <-i.process.ended:
		return nil, fmt.Errorf("strace has ended: %w\n%s", i.process.err, i.said)
	case <-time.After(attachWithin):
		i.process.kill()
		return nil, fmt.Errorf("strace has not attached:\n%s", i.said)
	}
}

// Hits returns the number of system calls that the fault has affected so far.
func (i *Injection) Hits() int {
	text, err := os.ReadFile(i.trace)
	if err != nil {
		return 0 // strace has written nothing yet
	}
	return bytes.Count(text, []byte("(INJECTED)")) + bytes.Count(text, []byte("(DELAYED)"))
}

// Remove removes the fault. The process continues.
func (i *Injection) Remove() error {
	if err := i.process.signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-i.process.ended:
		return nil // strace reports the interrupt as an error
	case <-time.After(attachWithin):
		i.process.kill()
		return fmt.Errorf("strace did not detach:\n%s", i.said)
	}
}

// waiting is a writer that detects strace's message that it has attached.
type waiting struct {
	mu       sync.Mutex
	text     bytes.Buffer
	done     bool
	attached chan struct{}
}

func (w *waiting) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if !w.done && bytes.Contains(w.text.Bytes(), []byte(" attached")) {
		w.done = true
		close(w.attached)
	}
	return len(p), nil
}

func (w *waiting) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
