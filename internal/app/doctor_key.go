package app

import (
	"context"
	"path/filepath"

	"verdict/internal/logkey"
)

// masterKey checks that there is a master key and that the database uses it.
func (d *examiner) masterKey(ctx context.Context) {
	const check = "keys"
	encrypted := d.inspected != nil && d.inspected.Keys.Current != nil
	source, configured := d.masterKeySource()
	switch {
	case d.MasterKey == masterKeyOff && encrypted:
		d.add(check, Wrong, "give the service its key with -master-key",
			"the data of this database is encrypted, and -master-key is off")
		return
	case d.MasterKey == masterKeyOff:
		d.add(check, Warning,
			"create a key (verdict keys create FILE) and set -master-key; docs/OPERATIONS.md explains it",
			"applicants' data is stored unencrypted, because -master-key is off")
		return
	case !configured:
		d.add(check, Wrong, "create a key (verdict keys create FILE) and set -master-key file:FILE on every node",
			"a service on PostgreSQL needs a master key")
		return
	}
	if path, isFile := source.Path(); isFile {
		d.private(check, path)
	}
	keys, err := source.Read(ctx)
	switch {
	case isMissing(source, err) && encrypted:
		d.add(check, Wrong, "restore the file from its backup; without it no data of applicants can be read",
			"the master key %s is missing, and the data of this database is encrypted with it", source)
	case isMissing(source, err) && d.MasterKey == "":
		if !d.elsewhere {
			d.add(check, Note, "", "there is no master key %s yet; the first start creates it", source)
		}
	case err != nil:
		d.add(check, Wrong, "check -master-key and the owner and mode of the file",
			"the master key %s cannot be read: %v", source, err)
	case !encrypted:
		d.good(check, "the master key %s can be read", source)
	case !has(keys, d.inspected.Keys.Current):
		d.add(check, Wrong, "copy the key file from a node that works, or from its backup",
			"the master key %s is not the one with which this database is encrypted", source)
	default:
		d.good(check, "the master key %s is that of the database", source)
		d.rotation(check)
	}
}

// rotation reports a replacement of the master key that has not finished.
func (d *examiner) rotation(check string) {
	_, announced := d.inspected.Keys.Announced()
	if announced || len(d.inspected.Keys.Retiring()) > 0 {
		d.add(check, Warning,
			"run \"verdict keys rotate\" until it finishes; until then older backups show erased data",
			"a replacement of the master key has not finished")
	}
}

// logKey checks the key with which the log is signed, and the folder with the record of
// the signed checkpoints.
func (d *examiner) logKey() {
	const check = "keys"
	known := d.inspected != nil && d.inspected.LogKey != nil
	path := d.logKeyFile()
	switch {
	case d.LogKey == logKeyOff:
		d.add(check, Warning, "create a key (verdict log create-key FILE) and set -log-key",
			"the logs of decisions are not signed, because -log-key is off")
		return
	case path == "":
		d.add(check, Wrong, "create a key (verdict log create-key FILE) and set -log-key on every node",
			"a service on PostgreSQL needs a log key")
		return
	}
	there := d.private(check, path)
	ring, err := logkey.Read(path)
	switch {
	case !there && known:
		d.add(check, Wrong,
			"restore the file from its backup; with another key, nobody could verify earlier checkpoints",
			"the log key %s is missing, and the logs of this database are signed with it", path)
		return
	case !there && d.LogKey == "":
		if !d.elsewhere {
			d.add(check, Note, "", "there is no log key %s yet; the first start creates it", path)
		}
		return
	case err != nil:
		d.add(check, Wrong, "check -log-key and the owner and mode of the file", "the log key cannot be read: %v", err)
		return
	case known && ring.Find(d.inspected.LogKey) == nil:
		d.add(check, Wrong, "copy the key file from a node that works, or from its backup",
			"the log key %s is not the one with which this database is signed", path)
		return
	}
	if folder := filepath.Dir(d.signedFiles()); !writable(folder) {
		d.add(check, Wrong, "create the folder of -log-signed and give it to the user that runs the service",
			"this user cannot write to %s, where the service records what it has signed", folder)
		return
	}
	d.good(check, "the log key %s can be used", path)
}
