// Package filelock locks a file for one process. A lock ends when it is closed or the process ends, even if the
// process is killed. Another program is stopped only if it asks for the lock too.
package filelock

import (
	"errors"
	"os"
)

// ErrLocked is the error of Take if another process has locked the file.
var ErrLocked = errors.New("another process has locked the file")

// Lock is a locked file.
type Lock struct{ file *os.File }

// Take opens a file and locks it. It creates the file, readable only by its owner, if it is missing. It returns
// ErrLocked without waiting if the file is locked. The file stays when the lock ends, because a process that deleted it
// could delete the lock of the next one.
func Take(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		return nil, errors.Join(failed(f, err), f.Close())
	}
	return &Lock{f}, nil
}

// Held reports whether a process has locked a file. It creates nothing: nobody has locked a file that is missing. Take
// may fail in another process while Held runs.
func Held(path string) (held bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := try(f); err != nil {
		if errors.Is(err, ErrLocked) {
			return true, nil
		}
		return false, failed(f, err)
	}
	return false, failed(f, unlock(f))
}

// Close ends the lock. It unlocks the file before it closes it: a child process that this process is starting has a
// copy of the descriptor for a moment, and the lock would last until the child closes the copy.
func (l *Lock) Close() error { return errors.Join(failed(l.file, unlock(l.file)), l.file.Close()) }

// Wait locks an open file until it is closed. It waits while another process has locked the file.
func Wait(f *os.File) error { return failed(f, wait(f)) }

// failed adds the name of the file to an error, because the system's error does not have it.
func failed(f *os.File, err error) error {
	if err == nil || errors.Is(err, ErrLocked) {
		return err
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
