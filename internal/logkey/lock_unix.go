//go:build unix

package logkey

import (
	"os"
	"syscall"
)

// lock locks a file for this process, and reports whether no other process has locked it.
// The lock ends with the process.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil // a small number
}
