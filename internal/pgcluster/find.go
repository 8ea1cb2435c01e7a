package pgcluster

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// programs returns the folder with the programs initdb and postgres. Debian does not put them on PATH and has one
// folder for each major version; programs returns the folder of the newest version. If there is no such folder, it
// searches PATH.
func programs() (folder string, err error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(folders, func(a, b string) int { return major(b) - major(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		_, noInitdb := os.Stat(filepath.Join(folder, "initdb"))
		_, noServer := os.Stat(filepath.Join(folder, "postgres"))
		if noInitdb == nil && noServer == nil {
			return folder, nil
		}
	}
	return "", errors.New(
		"initdb and postgres are neither on PATH nor under /usr/lib/postgresql; scripts/deps test installs them")
}

func major(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // an unreadable version becomes 0 and sorts last
	return n
}

// unprivileged returns the user that runs the server, because PostgreSQL refuses
// to run as root. It returns nil if this process does not run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("running as root, and there is no user postgres to run the server as")
}
