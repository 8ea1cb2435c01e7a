package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdict/api"
	"verdict/internal/app"
	"verdict/internal/demo"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

const demoHelp = `Create a tenant with sample data and serve it, for a first look at the console:
a month of decisions with reviews, versions of a policy, alerts, backtests,
scorecards, agents' runs, people and keys. Prints how to sign in.

  verdict demo
  verdict demo -addr 127.0.0.1:9090
  verdict demo -database-url sqlite:demo.db    keep the data; the database must be empty

Without -database-url the data is in a temporary folder and is deleted at the
end. The variable VERDICT_DATABASE_URL is ignored, so that a demo cannot write
into a database that is in use.
`

func demonstrate(c *command) int {
	fs := c.flags(demoHelp)
	settings := app.Bind(fs, "addr", "database-url", "log-level", "log-format")
	decisions := fs.Int("decisions", 3_000, "`number` of applications, from 1 to 50,000; two thirds of them live")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if *decisions < 1 || *decisions > 50_000 {
		return c.usage("-decisions: must be a whole number from 1 to 50000")
	}
	config, err := settings.Load(func(name string) string {
		if name == "VERDICT_DATABASE_URL" {
			return ""
		}
		return os.Getenv(name)
	})
	if err != nil {
		return c.usage("%v", err)
	}
	config.Version, config.Commit = api.Version, commit
	kept := false
	fs.Visit(func(f *flag.Flag) { kept = kept || f.Name == "database-url" })
	if !kept {
		folder, err := os.MkdirTemp("", "verdict-demo-")
		if err != nil {
			return c.usage("%v", err)
		}
		defer func() { _ = os.RemoveAll(folder) }() // if this fails, the folder stays among the temporary files
		config.DatabaseURL = "sqlite:" + filepath.Join(folder, "demo.db")
	}
	ctx, stop := interruptible()
	defer stop()
	return runDemo(ctx, c, config, *decisions)
}

// runDemo fills the database and serves it. It opens the listener first, so that an address in use is reported
// before the data is created.
func runDemo(ctx context.Context, c *command, config app.Config, decisions int) int {
	service, err := app.New(ctx, config, c.stderr)
	if err != nil {
		return c.usage("%v", err)
	}
	defer func() { _ = service.Close() }() // already closed, unless an earlier step failed
	password := newPassword()
	made, err := fillDemo(ctx, c, config, demo.Options{Now: time.Now(), Decisions: decisions, Password: password})
	switch {
	case errors.Is(err, demo.ErrNotEmpty):
		return c.incomplete(err)
	case err != nil:
		return c.failed(err)
	}
	if code := c.print(invitationText(service.URL(), made, password)); code != exitOK {
		return code
	}
	return runService(ctx, c, service)
}

// fillDemo creates the tenant of the demonstration. It shows a progress bar on a
// terminal.
func fillDemo(ctx context.Context, c *command, config app.Config, o demo.Options) (demo.Filled, error) {
	db, err := store.Open(ctx, config.DatabaseURL, config.Store)
	if err != nil {
		return demo.Filled{}, err
	}
	if o.MasterKey, err = config.ReadMasterKey(ctx, db); err != nil {
		return demo.Filled{}, errors.Join(err, db.Close())
	}
	bar := c.progress(int64(o.Decisions), "creating a month of data")
	o.Progress = func(done, total int64) {
		bar.ChangeMax64(total)
		_ = bar.Set64(done) // a progress bar that cannot be drawn must not stop the work
	}
	made, err := demo.Fill(ctx, db, o)
	_ = bar.Finish()
	return made, errors.Join(err, db.Close())
}

// newPassword returns a random password, because other machines may be able to
// reach the demonstration.
func newPassword() tenant.Secret {
	text := strings.ToLower(rand.Text())
	return tenant.NewSecret(strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16]}, "-"))
}

// invitationText returns a text with the address of the demonstration and the
// credentials for it.
func invitationText(url string, made demo.Filled, password tenant.Secret) []byte {
	var out bytes.Buffer
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&out, format, args...) } // memory writes cannot fail
	say("\n  Console    %s/console\n", url)
	say("  E-mail     %s\n  Password   %s\n\n", made.People[0].Email, password.Reveal())
	say("  With the same password, to see what each role may do:\n\n")
	for _, p := range made.People[1:] {
		if !p.Disabled {
			say("    %-8s %s\n", p.Role, p.Email)
		}
	}
	say("\n  API keys\n\n")
	for _, k := range made.Keys {
		say("    %-8s %s\n", k.Environment, k.Key.Reveal())
	}
	say("\n  Documentation  %s/docs\n\n  Ctrl-C stops the service.\n\n", url)
	return out.Bytes()
}
