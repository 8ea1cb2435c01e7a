package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func try(f *os.File) error {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

func wait(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// lockFile locks a byte far behind the end of any file, because on Windows nobody else can read a locked byte.
func lockFile(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, lockedByte())
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte())
}

func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }
