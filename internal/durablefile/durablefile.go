// Package durablefile writes files that survive a crash: when a function returns nil, the bytes of
// the file and its name are on the disk.
package durablefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// WriteNew creates a file that only its owner can read. The error is fs.ErrExist if the file exists.
func WriteNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return SyncFolder(path)
}

// Replace creates a file that only its owner can read, or replaces a file that exists. Afterwards, and after a
// crash, the file has either its former bytes or everything that the function write has written.
func Replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(path)
}

// SyncFolder makes the names of the files in a file's folder survive a crash. On Windows it does nothing, because a
// folder cannot be flushed there; NTFS writes changes of names to its own journal.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}
