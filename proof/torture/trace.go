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

// attachWithin is how long it may take until a fault holds.
const attachWithin = 20 * time.Second

// Injection is a fault in a running process's system calls, by strace.
type Injection struct {
	process *process
	said    *waiting
	trace   string // the file where it writes down what it did
}

// Inject makes system calls of a process slow or failing until Remove, as in
// "fsync,fdatasync:delay_enter=200ms" or "pwrite64:error=EIO". The file is
// where strace keeps its books.
func Inject(ctx context.Context, pid int, trace, what string) (*Injection, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return nil, errors.New("strace is not here; scripts/deps test installs it")
	}
	calls, _, _ := strings.Cut(what, ":")
	args := []string{"-f", "-o", trace, "-e", "trace=" + calls, "-e", "signal=none", "-e", "inject=" + what, "-p", fmt.Sprint(pid)}
	i := &Injection{trace: trace, said: &waiting{attached: make(chan struct{})}}
	if i.process, err = start(i.said, exec.CommandContext(ctx, path, args...)); err != nil { //nolint:gosec // the arguments are ours
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

// Hits is how many system calls it has disturbed so far.
func (i *Injection) Hits() int {
	text, err := os.ReadFile(i.trace)
	if err != nil {
		return 0 // it has not begun to write
	}
	return bytes.Count(text, []byte("(INJECTED)")) + bytes.Count(text, []byte("(DELAYED)"))
}

// Remove takes the fault away; the process goes on.
func (i *Injection) Remove() error {
	if err := i.process.signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-i.process.ended:
		return nil // it says that it was interrupted, which it was
	case <-time.After(attachWithin):
		i.process.kill()
		return fmt.Errorf("strace did not let go:\n%s", i.said)
	}
}

// waiting waits for strace to say that it has attached.
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
