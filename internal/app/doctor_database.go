package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"verdict/internal/filelock"
	"verdict/internal/store"
)

// database checks that the database can be read and has a schema that this
// program knows.
func (d *examiner) database(ctx context.Context) {
	const check = "database"
	found, err := store.Inspect(ctx, d.DatabaseURL, d.Store)
	file, embedded := store.FileOf(d.DatabaseURL)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.missingFile(check, file)
		return
	case err != nil && embedded:
		d.add(check, Wrong, "check the file's owner and mode; if it is damaged, restore a backup (verdict restore)",
			"%v", err)
		return
	case err != nil:
		d.add(check, Wrong, mendConnection(err), "%v", err)
		return
	}
	d.inspected = &found
	newest, err := store.SchemaVersion()
	switch {
	case err != nil:
		d.add(check, Wrong, "install verdict again", "%v", err)
	case found.RestoreUnfinished:
		d.add(check, Wrong, "restore the backup into a new database",
			"a restore into this database was interrupted before its keys were stored")
	case found.Schema == 0:
		d.add(check, Note, "", "the %s database is empty; the first start creates the schema", found.Kind)
	case found.Schema < newest:
		d.add(check, Note, "read docs/OPERATIONS.md, A new version, before the first new node starts",
			"the %s database has schema version %d; this program migrates it to %d at the start", found.Kind,
			found.Schema, newest)
	default:
		d.good(check, "the %s database can be read and has schema version %d", found.Kind, found.Schema)
	}
	if !embedded {
		d.server(check, found.Server)
		return
	}
	if info, err := os.Stat(file); err == nil && othersMayRead(info.Mode()) {
		d.add(check, Wrong, "chmod 600 "+file, "everybody on this machine can read %s", file)
	}
	if !writable(file) {
		d.add(check, Wrong, "give the file to the user that runs the service, or run doctor as that user",
			"this user cannot write to %s", file)
	}
	d.unused(check)
}

// mendFolder is the advice if the service uses another database than the one that was examined.
const mendFolder = "run doctor in the folder in which the service runs and with its variables, or give its " +
	"-database-url"

// unused adds a warning if a service answers, but no process has locked the SQLite file as a service does while it
// runs. The file then belongs to another service, for example one that was started in this folder before.
func (d *examiner) unused(check string) {
	file := databaseFile(d.Config)
	if !d.ready || file == "" {
		return
	}
	if held, err := filelock.Held(file + lockSuffix); err != nil || held {
		return // if the lock cannot be read, the check of the file's mode has said why
	}
	d.elsewhere = true
	d.add(check, Warning, mendFolder,
		"no service uses the database %s, but a service answers at %s, so it uses another one", file, d.Addr)
}

// missingFile reports an SQLite file that does not exist: the first start
// creates it if it can.
func (d *examiner) missingFile(check, file string) {
	folder := filepath.Dir(file)
	switch info, err := os.Stat(folder); {
	case err != nil || !info.IsDir():
		d.add(check, Wrong, "create the folder, or name another with -database-url", "the folder %s does not exist",
			folder)
	case !writable(folder):
		d.add(check, Wrong, "give the folder to the user that runs the service, or run doctor as that user",
			"this user cannot create the database in %s", folder)
	case d.ready:
		d.elsewhere = true
		d.add(check, Warning, mendFolder,
			"there is no database %s here, but a service answers at %s, so it uses another one", file, d.Addr)
	default:
		d.add(check, Note, "", "there is no database %s yet; the first start creates it", file)
	}
}
