package main

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/app"
	"verdict/internal/store"
)

const eraseHelp = `Remove erased data from the files of the database too.

  verdict erase -scrub

PostgreSQL keeps the former versions of changed rows in its files for some time,
and frequent values in its statistics. -scrub rewrites every table that may
contain data of people (VACUUM FULL), and the statistics. While a
table is rewritten, nobody can read or write it: requests wait, and fail after
-db-timeout. The disk needs space for a second copy of the largest table. Run it
at a time with few decisions. The write-ahead log and its archive still contain the
former versions until they are recycled.

On SQLite former versions are overwritten immediately; -scrub truncates the
write-ahead log.
`

func eraseCommand(c *command) int {
	fs := c.flags(eraseHelp)
	settings := databaseFlags(fs)
	scrub := fs.Bool("scrub", false, "rewrite the tables that may contain data of people")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	if !*scrub {
		return c.usage("add -scrub; \"verdict erase -h\" explains what it locks")
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, _ app.Config, db *store.DB) int {
		for _, table := range store.PersonalTables() {
			began := time.Now()
			if err := db.System().Rewrite(ctx, table); err != nil {
				return c.failed(err)
			}
			if db.Kind() == "postgres" {
				took := time.Since(began).Round(time.Millisecond)
				if code := c.print(fmt.Appendf(nil, "rewrote %s in %s\n", table, took)); code != exitOK {
					return code
				}
			}
		}
		done, err := db.System().Scrub(ctx)
		switch {
		case err != nil:
			return c.failed(err)
		case !done:
			return c.usage("a reader still needs the write-ahead log; run the command again")
		}
		return c.print([]byte("removed former versions of rows from the files of the database\n"))
	})
}
