package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"verdict/internal/app"
	"verdict/internal/logkey"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

const logHelp = `Manage the log of decisions.

  verdict log create-key FILE    write a new secret key with which the log is signed, for -log-key
  verdict log rotate-key         replace the key by a new one, while the service runs
  verdict log reopen -tenant ID -env live|sandbox -reason TEXT
                                 begin a new log if the database lacks entries that were signed, for instance
                                 because an older copy was restored

  verdict log witness, log audit  watch the log of a lender from outside: "verdict log witness -h"

Give the same key file to every node, keep it secret, and back it up separately
from the database. "create-key" never replaces a file that exists.

The old and the new key sign the replacement, so older checkpoints and capsules
stay valid: GET /v1/log/key returns all keys. Copy the changed key file to every
other node; until then that node decides, but does not sign.

A reopened log has another name, which ends with #2, #3 and so on. Its first entry
contains the last checkpoint of the old log and the reason, for everybody to read.
All entries that the database has follow. "verdict verify" says how many entries
are gone. If there is a newer copy of the database, restore that copy instead.
`

func logCommand(c *command) int {
	return c.subcommand(logHelp, verbs{
		"create-key": logCreateKey, "rotate-key": logRotateKey, "reopen": logReopen,
		"witness-key": logWitnessKey, "witness": logWitness, "audit": logAudit,
	})
}

func logCreateKey(c *command) int {
	fs := c.flags(logHelp)
	kept := ifMissing(fs)
	words, code, done := c.arguments(fs, "FILE")
	if done {
		return code
	}
	_, err := logkey.Create(words[0], rand.Reader)
	return createdKey(c, words[0], *kept, err)
}

func logRotateKey(c *command) int {
	fs := c.flags(logHelp)
	settings := app.Bind(fs, "database-url", "log-key")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, config app.Config, db *store.DB) int {
		path, err := app.RotateLogKey(ctx, config, db, time.Now())
		if err != nil {
			return c.failed(err)
		}
		return c.print(fmt.Appendf(nil, "replaced the log key in %s; copy the file to every node, and destroy all "+
			"copies of the old file\n", path))
	})
}

func logReopen(c *command) int {
	fs := c.flags(logHelp)
	settings := app.Bind(fs, "database-url", "log-key", "log-signed")
	tenantID := fs.String("tenant", "", "`id` of the tenant")
	env := fs.String("env", "", "`environment` of the log: live or sandbox")
	reason := fs.String("reason", "", "`text` that says why; it becomes part of the log")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	environment, ok := tenant.ParseEnvironment(*env)
	if !ok {
		return c.usage("-env must be live or sandbox")
	}
	if *reason == "" {
		return c.usage("say with -reason why the log is reopened")
	}
	return c.withSigning(settings, func(ctx context.Context, service *usecase.Set) ([]byte, error) {
		t, err := theTenant(ctx, service, *tenantID)
		if err != nil {
			return nil, err
		}
		r, err := service.Evidence.Reopen(ctx, t.ID, environment, *reason)
		return fmt.Appendf(nil, "reopened the log as %s; the previous log %s had %d entries, and the database "+
			"is known to have the first %d of them\n", r.Origin, r.Before.Origin, r.Before.Size, r.Kept), err
	})
}

// withSigning opens the database and the log key, calls the function work with use cases that can sign, and
// prints what work returns. A service may run at the same time.
func (c *command) withSigning(
	settings *app.Settings, work func(context.Context, *usecase.Set) ([]byte, error),
) int {
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, config app.Config, db *store.DB) int {
		quiet := slog.New(slog.DiscardHandler) // the returned errors say the same
		log, closeLog, err := app.OpenLog(ctx, config, db, quiet)
		if err != nil {
			return c.usage("%v", err)
		}
		var out []byte
		master, err := config.ReadMasterKey(ctx, db)
		if err == nil {
			var service *usecase.Set
			service, err = app.NewService(db, config, quiet, usecase.Hooks{}, app.Background{}, log, master)
			if err == nil {
				out, err = work(ctx, service)
			}
		}
		if err = errors.Join(err, closeLog()); err != nil {
			return c.failed(err)
		}
		return c.print(out)
	})
}
