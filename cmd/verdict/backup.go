package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"verdict/internal/app"
	"verdict/internal/durablefile"
	"verdict/internal/store"
)

const backupHelp = `Write a consistent snapshot of the whole database to a file. The service can
keep running. A backup of SQLite can be restored into PostgreSQL and vice versa.

  verdict backup -o verdict.backup -keys verdict.keys
  verdict backup -o - -keys verdict.keys | ssh elsewhere 'cat > verdict.backup'

Each file appears under its name only when it is complete, and only its owner can
read it. A backup that exists is replaced, and the command says so; a file that is no
backup, or the KEYS file of another service, is not replaced. Applicants' data is
encrypted in the backup, unless the service runs with -master-key off. The KEYS file
has the master key and the keys of all applicants at the moment of the backup. Keep it
apart from the backup: whoever has both can read everything. An older backup is restored with the newest KEYS file,
so keep only that one, and destroy those from before the last "verdict keys rotate".

-without-keys writes no KEYS file; back up the file of -master-key instead. Neither
file contains the log key: back it up too.
`

func backup(c *command) int {
	fs := c.flags(backupHelp)
	settings := app.Bind(fs, "database-url", "master-key")
	out := fs.String("o", "", "`file` to write, - for standard output")
	keysFile := fs.String("keys", "", "`file` to which the keys are written")
	without := fs.Bool("without-keys", false, "write no keys; they are backed up in another way")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if *out == "" {
		return c.usage("give the file to write with -o")
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, config app.Config, db *store.DB) int {
		encrypted, err := app.Encrypted(ctx, db)
		switch {
		case err != nil:
			return c.failed(err)
		case encrypted && *keysFile == "" && !*without:
			return c.usage("the data is encrypted; name a file for its keys with -keys, or add -without-keys if the " +
				"master key is backed up in another way")
		case !encrypted && *keysFile != "":
			return c.usage("the data is not encrypted, so there are no keys to write; leave out -keys")
		}
		if err := errors.Join(mayReplaceBackup(*out), mayReplaceKeys(ctx, db, *keysFile)); err != nil {
			return c.usage("%v. Nothing was written", err)
		}
		replaced := replacedText(*out, *keysFile)
		bar := c.progress(-1, "backing up")
		var stats store.BackupStats
		take := func(data io.Writer) (err error) {
			return writeKeys(*keysFile, func(keys io.Writer) (err error) {
				stats, err = app.BackUp(ctx, config, db, data, keys, func(table string, rows int64) {
					bar.Describe(fmt.Sprintf("backing up %s: %d rows", table, rows))
					_ = bar.Add(1)
				})
				return err
			})
		}
		if *out == standardInput {
			if err := take(c.stdout); err != nil {
				return c.usage("%v", err)
			}
			_, _ = fmt.Fprintf(c.stderr, "%s\n%s", describe("backed up", stats), replaced)
			return exitOK
		}
		err = durablefile.Replace(*out, take)
		_ = bar.Finish()
		if err != nil {
			return c.usage("%v", err)
		}
		return c.print(fmt.Appendf(nil, "%s\n%s", describe("backed up", stats), replaced))
	})
}

// mayReplaceBackup returns an error if a file with the given name exists and is not a backup. Otherwise a wrong name
// could destroy the database itself. An empty file may be replaced.
func mayReplaceBackup(name string) error {
	if name == standardInput {
		return nil
	}
	file, err := existing(name)
	if file == nil {
		return err
	}
	defer func() { _ = file.Close() }() // the file is only read
	if !app.IsBackup(file) {
		return fmt.Errorf("%s exists and is not a backup of verdict; name another file with -o", name)
	}
	return nil
}

// existing opens a file that would lose its content if it were replaced. It returns nil if there is no such file, or if
// it is empty or no regular file.
func existing(name string) (*os.File, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// mayReplaceKeys returns an error if a file with the given name exists and is not a KEYS file of the service with this
// database. An empty file may be replaced.
func mayReplaceKeys(ctx context.Context, db *store.DB, name string) error {
	if name == "" {
		return nil
	}
	file, err := existing(name)
	if file == nil {
		return err
	}
	defer func() { _ = file.Close() }() // the file is only read
	switch own, err := app.OwnsKeysFile(ctx, db, file); {
	case err != nil:
		return fmt.Errorf("%s exists and cannot be replaced: %w; name another file with -keys", name, err)
	case !own:
		return fmt.Errorf("%s is the KEYS file of another service; name another file with -keys, or use the database "+
			"of that service (-database-url)", name)
	}
	return nil
}

// replacedText returns a line that names the files that exist and will be replaced, or "" if there are none.
func replacedText(names ...string) string {
	var existing []string
	for _, name := range names {
		if name == "" || name == standardInput {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			existing = append(existing, name)
		}
	}
	if len(existing) == 0 {
		return ""
	}
	return "replaced " + strings.Join(existing, " and ") + "\n"
}

// writeKeys calls write with a writer for a new file called name, or with nil if name is "".
func writeKeys(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(nil)
	}
	return durablefile.Replace(name, write)
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
