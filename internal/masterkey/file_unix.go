//go:build unix

package masterkey

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file for this process. It waits while another process has locked it. The lock
// ends when the file is closed.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // a descriptor fits an int
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// keepOwner gives a new file the owner and the mode of an old one, because the command that
// replaces a key may run as another user than the service.
func keepOwner(from *os.File, path string) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		if err := os.Chown(path, int(stat.Uid), int(stat.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(path, info.Mode().Perm())
}
