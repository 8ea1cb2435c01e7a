//go:build unix

package masterkey

import (
	"os"
	"syscall"
)

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
