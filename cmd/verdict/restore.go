package main

import (
	"fmt"
	"os"

	"verdict/internal/store"
)

const restoreHelp = `Read a backup into a new or empty database. A truncated or altered file is
refused and leaves the database empty. A backup of an earlier version is brought
up to date.

  verdict restore -i verdict.backup
  verdict restore -i - -database-url postgres://verdict@db/verdict < verdict.backup

A backup does not contain the settings of the service, such as plans and rates.
`

func restore(c *command) int {
	fs := c.flags(restoreHelp)
	settings := databaseFlags(fs)
	in := fs.String("i", "", "`file` to read, - for standard input")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if *in == "" {
		return c.usage("give the file to read with -i")
	}
	config, err := settings.Load(os.Getenv)
	if err != nil {
		return c.usage("%v", err)
	}
	source := c.stdin
	if *in != standardInput {
		file, err := os.Open(*in)
		if err != nil {
			return c.usage("%v", err)
		}
		defer func() { _ = file.Close() }() // the file is only read
		source = file
	}
	ctx, stop := interruptible()
	defer stop()
	bar := c.progress(-1, "restoring")
	stats, err := store.Restore(ctx, config.DatabaseURL, source, config.Store, func(table string, rows int64) {
		bar.Describe(fmt.Sprintf("restoring %s: %d rows", table, rows))
		_ = bar.Add(1)
	})
	_ = bar.Finish()
	if err != nil {
		return c.failed(err)
	}
	return c.print(fmt.Appendf(nil, "%s\n", describe("restored", stats)))
}
