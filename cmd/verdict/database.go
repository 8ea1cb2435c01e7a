package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"verdict/internal/app"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/usecase"
)

// interruptible returns a context that the first signal cancels, so that the
// command can end cleanly. A second signal ends the process immediately.
func interruptible() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// databaseFlags adds the flags of commands that use the database.
func databaseFlags(fs *flag.FlagSet) *app.Settings {
	return app.Bind(fs, "database-url")
}

// withStore opens the database and calls the function work with it.
func (c *command) withStore(settings *app.Settings, work func(context.Context, app.Config, *store.DB) int) int {
	config, err := settings.Load(os.Getenv)
	if err != nil {
		return c.usage("%v", err)
	}
	if file, embedded := store.FileOf(config.DatabaseURL); embedded && c.existing {
		if _, err := os.Stat(file); err != nil {
			return c.usage("there is no database %s; run the command in the folder where \"verdict serve\" runs, "+
				"or name the database with -database-url", file)
		}
	}
	ctx, stop := interruptible()
	defer stop()
	db, err := app.OpenStore(ctx, config)
	if err != nil {
		return c.usage("%v", err)
	}
	code := work(ctx, config, db)
	if err := db.Close(); err != nil && code == exitOK {
		return c.usage("%v", err)
	}
	return code
}

// withService opens the database and calls the function work with the use cases. The logs of the use cases are
// discarded, because the returned errors say the same.
func (c *command) withService(settings *app.Settings, work func(context.Context, *usecase.Set) int) int {
	return c.withStore(settings, func(ctx context.Context, config app.Config, db *store.DB) int {
		log, err := config.ReadLog()
		if err != nil {
			return c.usage("%v", err)
		}
		master, err := config.ReadMasterKey(ctx, db)
		if err != nil {
			return c.usage("%v", err)
		}
		quiet := slog.New(slog.DiscardHandler)
		service, err := app.NewService(db, config, quiet, usecase.Hooks{}, app.Background{}, log, master)
		if err != nil {
			return c.usage("%v", err)
		}
		return work(ctx, service)
	})
}

// failed reports the error of a use case and returns the exit code.
func (c *command) failed(err error) int {
	if refusal := fault.Of(err); refusal != nil && refusal.Kind != fault.Internal && refusal.Kind != fault.Unavailable {
		return c.incomplete(err)
	}
	return c.usage("%v", err)
}

// incomplete reports why the command did not complete and returns the exit
// code.
func (c *command) incomplete(err error) int {
	_, _ = fmt.Fprintf(c.stderr, "verdict %s: %v\n", c.name, err)
	return exitRefused
}
