//go:build !unix

package masterkey

import "os"

// lock does nothing, because this system has no flock. The operator must make sure that only
// one process changes a key file.
func lock(*os.File) error { return nil }

// keepOwner does nothing: the new file belongs to the user of this process.
func keepOwner(*os.File, string) error { return nil }
