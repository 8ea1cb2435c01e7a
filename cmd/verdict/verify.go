package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/schollz/progressbar/v3"

	"verdict/internal/decisioning"
	"verdict/internal/usecase"
)

const verifyHelp = `Replay stored decisions on their stored facts and policy versions, compare
them with the journal, and list those that do not reproduce, were altered or
are missing. The service can keep running.

  verdict verify
  verdict verify -tenant ten_01J…

Exits with 1 if it lists any decision.
`

func verify(c *command) int {
	fs := c.flags(verifyHelp)
	settings := databaseFlags(fs)
	tenantID := fs.String("tenant", "", "`id` of the tenant whose decisions are replayed; default: all tenants")
	if code, done := c.parse(fs, 0); done {
		return code
	}
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
		if result.Failed > 0 {
			fmt.Fprintf(&out, "%d decisions are wrong or missing; %d were checked\n", result.Failed, result.Checked)
			if code := c.print(out.Bytes()); code != exitOK {
				return code
			}
			return exitRefused
		}
		fmt.Fprintf(&out, "%d decisions reproduce\n", result.Checked)
		if result.NoEntry > 0 {
			fmt.Fprintf(&out, "%d of them are from before the journal and have no entry yet\n", result.NoEntry)
		}
		return c.print(out.Bytes())
	})
}

// named returns the decision that is wrong; "" if the fault is the journal's.
func named(w decisioning.WrongDecision) string {
	switch {
	case w.ID == "":
		return ""
	case w.EngineVersion == "":
		return " " + w.ID
	}
	return fmt.Sprintf(" %s (engine %s)", w.ID, w.EngineVersion)
}
