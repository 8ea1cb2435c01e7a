package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"verdict/internal/app"
	"verdict/internal/store"
)

const backupHelp = `Write a consistent snapshot of the whole database to a file. The service can
keep running. A backup of SQLite can be restored into PostgreSQL and vice versa.

  verdict backup -o verdict.backup
  verdict backup -o - | ssh elsewhere 'cat > verdict.backup'

The file appears under its name only when it is complete, and only its owner can
read it. Applicants' data is encrypted in it, unless the service runs with
-master-key off. It does not contain the master key and the log key: back them up
apart from it, because a restored database needs both.
`

func backup(c *command) int {
	fs := c.flags(backupHelp)
	settings := databaseFlags(fs)
	out := fs.String("o", "", "`file` to write, - for standard output")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if *out == "" {
		return c.usage("give the file to write with -o")
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, _ app.Config, db *store.DB) int {
		bar := c.progress(-1, "backing up")
		var stats store.BackupStats
		take := func(w io.Writer) (err error) {
			stats, err = db.Backup(ctx, w, func(table string, rows int64) {
				bar.Describe(fmt.Sprintf("backing up %s: %d rows", table, rows))
				_ = bar.Add(1)
			})
			return err
		}
		if *out == standardInput {
			if err := take(c.stdout); err != nil {
				return c.usage("%v", err)
			}
			_, _ = fmt.Fprintf(c.stderr, "%s\n", describe("backed up", stats))
			return exitOK
		}
		err := writeAtomically(*out, take)
		_ = bar.Finish()
		if err != nil {
			return c.usage("%v", err)
		}
		return c.print(fmt.Appendf(nil, "%s\n", describe("backed up", stats)))
	})
}

// writeAtomically writes a file so that it exists either completely or not at
// all. The file is durable when the function returns.
func writeAtomically(name string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// describe returns a summary of a backup.
func describe(what string, s store.BackupStats) string {
	var rows int64
	for _, n := range s.Rows {
		rows += n
	}
	return fmt.Sprintf("%s %d rows of %d tables, schema version %d, sha256:%s",
		what, rows, len(s.Rows), s.SchemaVersion, s.SHA256)
}
