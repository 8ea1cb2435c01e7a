package torture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNoMount is returned if this machine does not permit mounting a disk.
var ErrNoMount = errors.New("a small disk cannot be mounted here: run as root, in a container with CAP_SYS_ADMIN, " +
	"or this scenario by itself under unshare -rm")

// Disk is a small file system in memory that can be filled and freed.
type Disk struct{ folder string }

// NewDisk mounts a disk of the given size at a folder. Other users may enter it if they may enter the folder.
func NewDisk(folder string, bytes int64) (*Disk, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	err := syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV,
		fmt.Sprintf("size=%d,mode=0711", bytes))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("%w (%w)", ErrNoMount, err)
	}
	if err != nil {
		return nil, fmt.Errorf("mount a small disk: %w", err)
	}
	return &Disk{folder}, nil
}

// Path returns the path of a file on the disk.
func (d *Disk) Path(name string) string { return filepath.Join(d.folder, name) }

func (d *Disk) ballast() string { return d.Path("ballast") }

// Fill fills the disk and leaves spare bytes free.
func (d *Disk) Fill(spare int64) error {
	var room syscall.Statfs_t
	if err := syscall.Statfs(d.folder, &room); err != nil {
		return fmt.Errorf("measure the disk: %w", err)
	}
	file, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("fill the disk: %w", err)
	}
	piece := make([]byte, room.Bsize)
	for left := int64(room.Bavail)*room.Bsize - spare; left > 0 && err == nil; left -= room.Bsize {
		_, err = file.Write(piece)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = nil // another process has used the rest
	}
	return errors.Join(err, file.Close())
}

// Free frees the space that Fill has used.
func (d *Disk) Free() error {
	if err := os.Remove(d.ballast()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("free the disk: %w", err)
	}
	return nil
}

// Close unmounts the disk; its content is lost.
func (d *Disk) Close() error {
	if err := syscall.Unmount(d.folder, syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", d.folder, err)
	}
	return nil
}
