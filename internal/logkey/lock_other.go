//go:build !unix

package logkey

import "os"

// lock does nothing: on this system only one process may use a log key.
func lock(*os.File) bool { return true }
