//go:build unix

package logkey

import (
	"os"
	"syscall"
)

// lock locks a file for this process. It returns false if another process has locked the file. The
// lock ends when the file is closed or the process ends.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil // a descriptor fits an int
}
