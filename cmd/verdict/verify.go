package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/schollz/progressbar/v3"

	"verdict/internal/usecase"
)

const verifyHelp = `Replay stored decisions on their stored facts and policy versions, and list
those that do not reproduce. The service can keep running.

  verdict verify
  verdict verify -tenant ten_01J…

Exits with 1 if there are any.
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
			fmt.Fprintf(&out, "%s %s %s (engine %s): %s\n", w.TenantID, w.Environment, w.ID, w.EngineVersion, w.Why)
		}
		if more := result.Failed - int64(len(result.Wrong)); more > 0 {
			fmt.Fprintf(&out, "and %d more\n", more)
		}
		if result.Failed > 0 {
			fmt.Fprintf(&out, "%d of %d decisions do not reproduce\n", result.Failed, result.Checked)
			if code := c.print(out.Bytes()); code != exitOK {
				return code
			}
			return exitRefused
		}
		return c.print(fmt.Appendf(nil, "%d decisions reproduce\n", result.Checked))
	})
}
