package masterkey

import (
	"errors"
	"os"

	"verdict/internal/filelock"
)

// keyFile is a key file, and the file whose lock keeps other processes away. The key file itself is not locked,
// because Windows does not replace a file that anybody has opened.
type keyFile struct {
	*os.File
	lock *os.File
}

// openLocked locks the file path.lock, which stays, and opens the key file.
func openLocked(path string) (*keyFile, error) {
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = filelock.Wait(lock)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &keyFile{f, lock}, nil
}

// replaceBy renames the file next to path. The bytes of the old file are not overwritten: Windows replaces only a
// closed file, and overwriting it before would lose the keys in a crash.
func (f *keyFile) replaceBy(next, path string, _ int) error {
	err := f.File.Close()
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

// Close closes both files, which releases the lock.
func (f *keyFile) Close() error {
	err := f.File.Close()
	if errors.Is(err, os.ErrClosed) { // replaceBy has closed it
		err = nil
	}
	return errors.Join(err, f.lock.Close())
}

// keepOwner does nothing: the new file belongs to the user of this process.
func keepOwner(*os.File, string) error { return nil }
