//go:build unix

package masterkey

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"verdict/internal/durablefile"
	"verdict/internal/filelock"
)

// keyFile is a locked key file.
type keyFile struct{ *os.File }

// openLocked opens a file and locks it. The file may be replaced while another process has the
// lock; then the new file is locked instead.
func openLocked(path string) (*keyFile, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		err = filelock.Wait(f)
		var mine, present os.FileInfo
		if err == nil {
			mine, err = f.Stat()
		}
		if err == nil {
			present, err = os.Stat(path)
		}
		if err == nil && os.SameFile(mine, present) {
			return &keyFile{f}, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

// replaceBy renames the file next to path, and writes zeros over the bytes of f, which then has no name. The disk
// itself may keep older copies of these bytes.
func (f *keyFile) replaceBy(next, path string, size int) error {
	if err := os.Rename(next, path); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	if err := durablefile.SyncFolder(path); err != nil {
		return err
	}
	if _, err := f.WriteAt(make([]byte, size), 0); err != nil {
		return fmt.Errorf("overwrite the old keys: %w", err)
	}
	return f.Sync()
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
