package app

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/archive"
)

// The thresholds of the checks of this machine.
const (
	littleSpace     = 1 << 30 // free bytes; less than this is a warning
	noSpace         = 64 << 20
	clockTolerance  = 2 * time.Second
	certificateSoon = 21 * 24 * time.Hour
)

// disk checks the free space where the service writes.
func (d *examiner) disk() {
	folders := map[string]bool{}
	if file, embedded := store.FileOf(d.DatabaseURL); embedded {
		folders[filepath.Dir(file)] = true
	}
	if d.LogKey != logKeyOff && d.signedFiles() != "" {
		folders[filepath.Dir(d.signedFiles())] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if absolute, err := filepath.Abs(folder); err == nil {
			folder = absolute
		}
		free, err := d.FreeSpace(folder)
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrNotExist):
			d.add("disk", Note, "", "the free space of %s was not checked: %v", folder, err)
		case err != nil:
			d.add("disk", Wrong, "check that the disk is mounted", "the free space of %s cannot be read: %v", folder,
				err)
		case free < noSpace:
			d.add("disk", Wrong, "free space, or move the data to a larger disk: writes are about to fail",
				"%s has %d MiB free", folder, free>>20)
		case free < littleSpace:
			d.add("disk", Warning, "free space, or move the data to a larger disk", "%s has %d MiB free", folder,
				free>>20)
		default:
			d.good("disk", "%s has %d GiB free", folder, free>>30)
		}
	}
}

// clock checks that the clock of this machine is right: decisions are stored
// with its time.
func (d *examiner) clock() {
	const check, mend = "clock", "synchronize the clock, for example with chrony or systemd-timesyncd"
	now := d.now()
	if d.inspected != nil && d.inspected.Kind == "postgres" {
		if ahead := d.inspected.Server.Ahead; ahead.Abs() > clockTolerance {
			d.add(check, Wrong, mend+", on both machines",
				"the clock of the database server differs by at least %s from this machine's",
				ahead.Abs().Truncate(time.Millisecond))
			return
		}
	}
	if file, embedded := store.FileOf(d.DatabaseURL); embedded {
		for _, name := range []string{file, file + "-wal"} {
			if info, err := os.Stat(name); err == nil && info.ModTime().Sub(now) > clockTolerance {
				d.add(check, Wrong, mend, "the clock is behind: %s was written at %s, which is later than now", name,
					info.ModTime().UTC().Format(time.RFC3339))
				return
			}
		}
	}
	switch synchronized, known := clockSynchronized(); {
	case !known:
		d.add(check, Note, "", "the clock says %s; this system does not say whether its clock is synchronized",
			now.UTC().Format(time.RFC3339))
	case !synchronized:
		d.add(check, Warning, mend, "the kernel says that the clock is not synchronized; the clock says %s",
			now.UTC().Format(time.RFC3339))
	default:
		d.good(check, "the clock is synchronized; it says %s", now.UTC().Format(time.RFC3339))
	}
}

// certificate checks the certificate and its key.
func (d *examiner) certificate() {
	const check = "tls"
	if d.TLSCert == "" {
		return
	}
	d.private(check, d.TLSKey)
	pair, err := tls.LoadX509KeyPair(d.TLSCert, d.TLSKey)
	if err != nil {
		d.add(check, Wrong,
			"check -tls-cert and -tls-key: the chain in PEM, the service's certificate first, and its key",
			"the certificate cannot be used: %v", err)
		return
	}
	const renew = "renew it; the service reads the new files by itself"
	leaf, now := pair.Leaf, d.now()
	switch left := leaf.NotAfter.Sub(now); {
	case now.Before(leaf.NotBefore):
		d.add(check, Wrong, "wait, or check the clock", "the certificate is valid only from %s",
			leaf.NotBefore.UTC().Format(time.RFC3339))
	case left <= 0:
		d.add(check, Wrong, renew, "the certificate expired at %s", leaf.NotAfter.UTC().Format(time.RFC3339))
	case left < certificateSoon:
		d.add(check, Warning, renew, "the certificate expires in %d days", int(left.Hours()/24))
	default:
		d.good(check, "the certificate for %s is valid for %d days", strings.Join(leaf.DNSNames, ", "),
			int(left.Hours()/24))
	}
}

// maxBackups is how many files of a folder are looked at.
const maxBackups = 10_000

// backups checks the age of the newest backup, as it is recorded in the file.
func (d *examiner) backups() {
	const check = "backups"
	if d.Backups == "" {
		d.add(check, Note, "name a backup, or the folder with them, with -backup",
			"the age of the backups was not checked")
		return
	}
	names := []string{d.Backups}
	if info, err := os.Stat(d.Backups); err == nil && info.IsDir() {
		names = names[:0]
		entries, err := os.ReadDir(d.Backups)
		if err != nil {
			d.add(check, Wrong, "give this user access to the folder", "%v", err)
			return
		}
		for _, e := range entries[max(0, len(entries)-maxBackups):] { // names with dates sort by time, the newest last
			names = append(names, filepath.Join(d.Backups, e.Name()))
		}
	}
	var newest time.Time
	var where string
	for _, name := range names {
		if at, ok := backupTime(name); ok && at.After(newest) {
			newest, where = at, name
		}
	}
	const take = "run \"verdict backup\", and see why the job that should run it does not"
	switch age := d.now().Sub(newest); {
	case where == "":
		d.add(check, Wrong, take, "there is no backup in %s", d.Backups)
	case age > d.BackupAge:
		d.add(check, Wrong, take, "the newest backup, %s, is %s old", where, age.Round(time.Minute))
	default:
		d.good(check, "the newest backup, %s, is %s old", where, age.Round(time.Minute))
	}
}

// backupTime returns when a backup was taken. ok is false if the file is not a backup.
func backupTime(name string) (at time.Time, ok bool) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return at, false // reading a pipe would block
	}
	f, err := os.Open(name)
	if err != nil {
		return at, false
	}
	defer func() { _ = f.Close() }() // the file is only read
	_, header, err := archive.NewReader(f)
	return time.UnixMicro(header.CreatedMicros), err == nil
}
