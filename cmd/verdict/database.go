package main

import (
	"context"
	"errors"
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

// interruptible is a context that the first signal ends, so that work is left
// off tidily; the second ends the process, whatever it does.
func interruptible() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// databaseFlags adds the settings of a command that works on the database.
func databaseFlags(fs *flag.FlagSet) *app.Settings {
	return app.Bind(fs, "database-url")
}

// withStore runs a command's work on the open database.
func (c *command) withStore(settings *app.Settings, work func(context.Context, app.Config, *store.DB) int) int {
	config, err := settings.Load(os.Getenv)
	if err != nil {
		return c.usage("%v", err)
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

// withService runs a command's work on the use cases. What they log, such as a
// database that does not answer, is told by the error as well.
func (c *command) withService(settings *app.Settings, work func(context.Context, *usecase.Set) int) int {
	return c.withStore(settings, func(ctx context.Context, config app.Config, db *store.DB) int {
		service, err := app.NewService(db, config, slog.New(slog.DiscardHandler), usecase.Hooks{}, nil)
		if err != nil {
			return c.usage("%v", err)
		}
		return work(ctx, service)
	})
}

// failed reports what a use case refused, or could not do.
func (c *command) failed(err error) int {
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Kind != fault.Internal && refusal.Kind != fault.Unavailable {
		return c.ended(err)
	}
	return c.usage("%v", err)
}

// ended reports why the work came to another end than was asked for.
func (c *command) ended(err error) int {
	_, _ = fmt.Fprintf(c.stderr, "verdict %s: %v\n", c.name, err)
	return exitRefused
}
