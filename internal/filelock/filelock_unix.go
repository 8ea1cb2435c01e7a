//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

func try(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

func wait(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

// flock repeats the call while a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how) // a descriptor fits an int
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
