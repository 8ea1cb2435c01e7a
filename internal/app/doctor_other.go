//go:build !linux && !darwin

package app

import (
	"errors"
	"os"
	"runtime"
)

const onWindows = runtime.GOOS == "windows"

// openFiles returns 0: the number of files is not limited here, or not known.
func openFiles() uint64 { return 0 }

func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }

// writable reports whether the file or folder exists. Only an attempt to write could
// show whether it is writable.
func writable(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
