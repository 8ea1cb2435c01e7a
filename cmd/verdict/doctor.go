package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"verdict/internal/app"
)

const doctorHelp = `Check everything that the service needs, and say how to fix what is wrong:

  verdict doctor
  verdict doctor -backup /var/backups/verdict -json

It reads the same settings as "verdict serve", so run it as the same user and with
the same variables. It checks the settings, the running service if there is one, the
database and its schema, the free space, the clock, the certificate, the master key
and the log key, and the age of the newest backup. It changes nothing: it does not
migrate the database, and creates no file.

A finding is ok, a note (nothing is wrong), a warning (the service works, but not as
it should in production) or an error. Exits with 0 if there is no warning and no
error, with 3 if there are only warnings, and with 1 if there is an error.
`

func doctor(c *command) int {
	fs := c.flags(doctorHelp)
	asJSON := fs.Bool("json", false, "print the findings as JSON")
	backups := fs.String("backup", "", "a backup `file`, or a folder with backups")
	age := fs.Duration("backup-age", 26*time.Hour, "`age` at which the newest backup is too old")
	limit := fs.Duration("timeout", 20*time.Second, "`time` after which the checks end")
	c.ownFirst(fs)
	settings := app.Bind(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	interrupted, stop := interruptible()
	defer stop()
	ctx, cancel := context.WithTimeout(interrupted, *limit)
	defer cancel()
	findings := app.Examine(ctx, settings, app.Examination{
		Environ: os.Environ(), Backups: *backups, BackupAge: *age, Now: time.Now, Probe: probeService,
	})
	if code := printFindings(c, findings, *asJSON); code != exitOK {
		return code
	}
	code := exitOK
	for _, f := range findings {
		switch {
		case f.Severity == app.Wrong:
			return exitRefused
		case f.Severity == app.Warning:
			code = exitWarnings
		}
	}
	return code
}

// probeService asks the service on this machine whether it is ready.
func probeService(ctx context.Context, config app.Config) (ready bool, reason string, err error) {
	url, err := probeURL(config.Addr, config.TLSCert != "", true)
	if err != nil {
		return false, "", err
	}
	status, reason, err := probe(ctx, url)
	return status == http.StatusOK, strings.TrimSpace(reason), err
}

func printFindings(c *command, findings []app.Finding, asJSON bool) int {
	if asJSON {
		document, err := json.Marshal(map[string]any{"findings": findings})
		if err != nil {
			return c.usage("%v", err)
		}
		return c.printJSON(document, false)
	}
	var out bytes.Buffer
	for _, f := range findings {
		fmt.Fprintf(&out, "%-8s %-14s %s\n", f.Severity, f.Check, f.Text)
		if f.Mend != "" {
			fmt.Fprintf(&out, "%-23s %s\n", "", "→ "+f.Mend)
		}
	}
	return c.print(out.Bytes())
}
