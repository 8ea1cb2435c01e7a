// Package filelock locks a file for one process. A lock ends when the file is closed or the process ends, also when
// the process is killed. Another program is stopped only if it asks for the lock too.
package filelock

import (
	"errors"
	"os"
)

// ErrLocked is the error of Take if another process has locked the file.
var ErrLocked = errors.New("another process has locked the file")

// Take opens a file and locks it. It creates the file, readable only by its owner, if it is missing. It returns
// ErrLocked without waiting if the file is locked. Closing the file ends the lock; the file itself stays, because a
// process that deleted it could delete the lock of the next one.
func Take(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Wait locks an open file. It waits while another process has locked the file.
func Wait(f *os.File) error { return wait(f) }
