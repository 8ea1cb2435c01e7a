package main

import (
	"fmt"
	"io"
	"os"

	"verdict/internal/app"
)

const restoreHelp = `Read a backup into a new or empty database. A truncated or altered file is
refused and leaves the database empty, so a correct file can be restored into it.
A backup of an earlier version is brought up to date.

  verdict restore -i verdict.backup -keys verdict.keys
  verdict restore -i - -keys verdict.keys -database-url postgres://verdict@db/verdict < verdict.backup

Give the newest KEYS file, even for an older backup: it lacks the keys of people
who were erased since, so that their data stays unreadable, and their rows are
erased again. The key trees in the backup itself are then ignored. The master key
is written to the file of -master-key, on SQLite beside the database.
-without-keys restores encrypted data with the key trees in the backup; they need
the master key of that time.

A backup does not contain the settings of the service, such as plans and rates.
`

func restore(c *command) int {
	fs := c.flags(restoreHelp)
	settings := app.Bind(fs, "database-url", "master-key")
	in := fs.String("i", "", "`file` to read, - for standard input")
	keysFile := fs.String("keys", "", "the newest KEYS `file`")
	without := fs.Bool("without-keys", false,
		"restore encrypted data with the key trees in the backup, not with a KEYS file")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	switch {
	case *in == "":
		return c.usage("give the file to read with -i")
	case *keysFile != "" && *without:
		return c.usage("-keys and -without-keys exclude each other")
	}
	config, err := settings.Load(os.Getenv)
	if err != nil {
		return c.usage("%v", err)
	}
	data := c.stdin
	if *in != standardInput {
		file, err := os.Open(*in)
		if err != nil {
			return c.usage("%v", err)
		}
		defer func() { _ = file.Close() }() // the file is only read
		data = file
	}
	var keys io.Reader
	if *keysFile != "" {
		file, err := os.Open(*keysFile)
		if err != nil {
			return c.usage("%v", err)
		}
		defer func() { _ = file.Close() }() // the file is only read
		keys = file
	}
	ctx, stop := interruptible()
	defer stop()
	bar := c.progress(-1, "restoring")
	restored, err := app.RestoreBackup(ctx, config, data, app.RestoreOptions{
		Keys:        keys,
		WithoutKeys: *without,
		Progress: func(table string, rows int64) {
			bar.Describe(fmt.Sprintf("restoring %s: %d rows", table, rows))
			_ = bar.Add(1)
		},
	})
	_ = bar.Finish()
	if err != nil {
		return c.failed(err)
	}
	text := fmt.Appendf(nil, "%s\n", describe("restored", restored.BackupStats))
	if restored.KeyFile != "" {
		text = fmt.Appendf(text, "wrote the master key to %s\n", restored.KeyFile)
	}
	if restored.ErasedAgain > 0 {
		text = fmt.Appendf(text, "erased %d people again, because they had been erased after the backup\n",
			restored.ErasedAgain)
	}
	if restored.LogKey != "" {
		text = fmt.Appendf(text,
			"next: copy the log key of the service to %s, and its newest files .signed-* beside it\n", restored.LogKey)
	}
	text = fmt.Appendf(text, "then: run \"verdict verify\" on this database, and start the service\n")
	return c.print(text)
}
