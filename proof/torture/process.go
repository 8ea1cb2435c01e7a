package torture

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a child process that ends when this process ends.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // exit error of the process; read it only after ended is closed
}

// start starts cmd. The standard error of the process goes to stderr.
func start(stderr io.Writer, cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = stderr
	// Put the child in a separate process group, so that Ctrl-C signals only
	// this process, which then ends the child.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	go func() {
		// The kernel sends the parent-death signal when the thread that started
		// the child ends, so lock this goroutine to its thread.
		runtime.LockOSThread()
		defer close(p.ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// signal sends a signal. It returns nil if the process has already ended.
func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails if the process has already ended
	<-p.ended
}
