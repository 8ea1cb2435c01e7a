package main

import (
	"context"
	"fmt"

	"verdict/internal/app"
	"verdict/internal/store"
)

const migrateHelp = `Bring the schema of the database up to date and print its version. "verdict
serve" does so when it starts; use this command to do it beforehand.

  verdict migrate
  verdict migrate -database-url postgres://verdict@db/verdict
`

func migrate(c *command) int {
	fs := c.flags(migrateHelp)
	settings := databaseFlags(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	return c.withStore(settings, func(_ context.Context, _ app.Config, db *store.DB) int {
		version, err := store.SchemaVersion()
		if err != nil {
			return c.usage("%v", err)
		}
		return c.print(fmt.Appendf(nil, "the %s database has schema version %d\n", db.Kind(), version))
	})
}
