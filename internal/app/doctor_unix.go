//go:build linux || darwin

package app

import (
	"fmt"
	"syscall"
)

const (
	onWindows   = false
	accessWrite = 2 // W_OK of access(2)
)

// openFiles returns how many files a process may open, or 0 if the limit is not known.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return limit.Max // Go raises the soft limit to the hard one at the start
}

// freeSpace returns the bytes that this user can still write to the disk of a
// folder.
func freeSpace(folder string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, fmt.Errorf("look at %s: %w", folder, err)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:gosec // both are positive; the types differ by system
}

// writable reports whether this user may write to a file or folder. It writes
// nothing.
func writable(path string) bool { return syscall.Access(path, accessWrite) == nil }
