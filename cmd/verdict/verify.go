package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/schollz/progressbar/v3"

	"verdict/internal/app"
	"verdict/internal/decisioning"
	"verdict/internal/usecase"
)

const verifyHelp = `Replay stored decisions on their stored facts and policy versions, compare
them with the journal and the signed log, and list those that do not reproduce,
were altered or are missing. The service can keep running.

  verdict verify
  verdict verify -tenant ten_01J…

With the file of a capsule, check that one decision without a database:

  verdict verify -key log-key.pub capsule.json

The key is the public key of the lender's log, as GET /v1/log/key returns it;
get it from the lender by another way than the capsule. -witness is the public
key of a witness. There may be several capsules.

Exits with 1 if something is wrong.
`

func verify(c *command) int {
	fs := c.flags(verifyHelp)
	settings := app.Bind(fs, "database-url", "log-key", "log-signed")
	tenantID := fs.String("tenant", "", "`id` of the tenant whose decisions are replayed; default: all tenants")
	key := fs.String("key", "", "`file` with the public key of the log, for a capsule")
	witness := fs.String("witness", "", "`file` with the public key of a witness, for a capsule")
	capsules, code, done := c.anyArguments(fs)
	switch {
	case done:
		return code
	case len(capsules) > 0:
		return c.verifyCapsules(capsules, *key, *witness)
	case *key != "" || *witness != "":
		return c.usage("-key and -witness are for a capsule, and the file of the capsule is missing")
	}
	c.existing = true
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		var bar *progressbar.ProgressBar
		result, err := service.Decisions.Verify(ctx, *tenantID, func(done, total int64) {
			if bar == nil {
				bar = c.progress(total, "replaying")
			}
			_ = bar.Set64(done)
		})
		if err != nil {
			return c.failed(err)
		}
		var out bytes.Buffer
		for _, w := range result.Wrong {
			fmt.Fprintf(&out, "%s %s%s: %s\n", w.TenantID, w.Environment, named(w), w.Why)
		}
		if more := result.Failed - int64(len(result.Wrong)); more > 0 {
			fmt.Fprintf(&out, "and %d more\n", more)
		}
		leaves, wrong, err := service.Evidence.Audit(ctx, *tenantID)
		if err != nil {
			return c.failed(err)
		}
		for _, w := range wrong {
			fmt.Fprintf(&out, "%s %s: %s\n", w.TenantID, w.Environment, w.Why)
		}
		if result.Failed > 0 || len(wrong) > 0 {
			if result.Failed > 0 {
				fmt.Fprintf(&out, "%d decisions are wrong or missing; %d were checked\n", result.Failed, result.Checked)
			}
			if len(wrong) > 0 {
				fmt.Fprintf(&out, "%d signed logs do not match the journal\n", len(wrong))
			}
			if code := c.print(out.Bytes()); code != exitOK {
				return code
			}
			return exitRefused
		}
		fmt.Fprintf(&out, "%d decisions reproduce\n", result.Checked)
		if result.NoEntry > 0 {
			fmt.Fprintf(&out, "%d of them are from before the journal and have no entry yet\n", result.NoEntry)
		}
		if leaves > 0 {
			fmt.Fprintf(&out, "%d entries of the journal are those of the signed logs\n", leaves)
		} else if result.Checked > 0 {
			fmt.Fprintf(&out, "no log is signed, so only the journal was compared\n")
		}
		return c.print(out.Bytes())
	})
}

// named returns the id of the wrong decision and, if it is known, the engine version
// that made it, with a space in front. It returns "" if the journal itself is wrong.
func named(w decisioning.WrongDecision) string {
	switch {
	case w.ID == "":
		return ""
	case w.EngineVersion == "":
		return " " + w.ID
	}
	return fmt.Sprintf(" %s (engine %s)", w.ID, w.EngineVersion)
}
