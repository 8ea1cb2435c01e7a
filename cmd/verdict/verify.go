package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/schollz/progressbar/v3"

	"verdict/internal/app"
	"verdict/internal/decisioning"
	"verdict/internal/evidencedesk"
	"verdict/internal/usecase"
)

const verifyHelp = `Replay stored decisions on their stored facts and policy versions, compare
them and the other stored objects with the journal and the signed log, and list
those that do not reproduce, were altered or are missing. The service can keep running.

  verdict verify
  verdict verify -tenant ten_01J…

With the file of a capsule, check that one decision without a database:

  verdict verify -key log-key.pub capsule.json

The key is the public key of the lender's log, as GET /v1/log/key returns it;
get it from the lender through another channel than the capsule. -witness
names a file with the public key of a witness. Several capsules can be given.

Exits with 1 if a check fails. Entries that are gone because a log was reopened
are reported, but do not make the check fail.
`

func verify(c *command) int {
	fs := c.flags(verifyHelp)
	settings := app.Bind(fs, "database-url", "log-key", "log-signed", "master-key")
	tenantID := fs.String("tenant", "", "`id` of the tenant whose decisions are replayed; default: all tenants")
	key := fs.String("key", "", "`file` with the public key of the log, for a capsule")
	witness := fs.String("witness", "", "`file` with the public key of a witness, for a capsule")
	capsules, code, done := c.anyArguments(fs, len(c.args))
	switch {
	case done:
		return code
	case len(capsules) > 0:
		return verifyCapsules(c, capsules, *key, *witness)
	case *key != "" || *witness != "":
		return c.usage("-key and -witness are for capsules; give the file of a capsule")
	}
	c.existing = true
	return c.withService(settings, func(ctx context.Context, service *usecase.Set) int {
		var bar *progressbar.ProgressBar
		result, err := service.Decisions.Audit.Verify(ctx, *tenantID, func(done, total int64) {
			if bar == nil {
				bar = c.progress(total, "replaying")
			}
			_ = bar.Set64(done)
		})
		if err != nil {
			return c.failed(err)
		}
		logs, err := service.Evidence.Audit(ctx, *tenantID)
		if err != nil {
			return c.failed(err)
		}
		code := c.print(verifyText(&result, &logs))
		if code == exitOK && (result.Failed > 0 || len(logs.Wrong) > 0) {
			return exitRefused
		}
		return code
	})
}

// verifyText returns the results of a verification for people.
func verifyText(result *decisioning.Verification, logs *evidencedesk.AuditResult) []byte {
	var out bytes.Buffer
	for _, w := range result.Wrong {
		fmt.Fprintf(&out, "%s %s%s: %s\n", w.TenantID, w.Environment, named(w), w.Why)
	}
	if more := result.Failed - int64(len(result.Wrong)); more > 0 {
		fmt.Fprintf(&out, "and %d more\n", more)
	}
	for _, remark := range append(logs.Wrong, logs.Reopened...) {
		fmt.Fprintf(&out, "%s %s: %s\n", remark.TenantID, remark.Environment, remark.Text)
	}
	if result.Failed > 0 {
		fmt.Fprintf(&out, "%d objects are wrong or missing; %d decisions and %d other entries were checked\n",
			result.Failed, result.Checked, result.Records)
	}
	if len(logs.Wrong) > 0 {
		fmt.Fprintf(&out, "%d signed logs do not match the journal\n", len(logs.Wrong))
	}
	if result.Failed > 0 || len(logs.Wrong) > 0 {
		return out.Bytes()
	}
	fmt.Fprintf(&out, "%d decisions reproduce\n", result.Checked-result.Erased)
	fmt.Fprintf(&out, "%d other entries of the journal match what is stored\n", result.Records)
	if result.Erased > 0 {
		fmt.Fprintf(&out, "%d decisions were erased, with their applicants or at the end of a retention period; "+
			"what remains matches the journal\n",
			result.Erased)
	}
	if result.NoEntry > 0 {
		fmt.Fprintf(&out, "%d objects were made before the journal existed and have no entry yet\n", result.NoEntry)
	}
	if logs.Leaves > 0 {
		fmt.Fprintf(&out, "%d entries of the journal match the signed logs\n", logs.Leaves)
		if logs.Unsigned > 0 {
			fmt.Fprintf(&out, "%d entries are not signed yet; while the service runs, it signs them within a minute\n",
				logs.Unsigned)
		}
		if logs.NoKey {
			fmt.Fprintf(&out, "unknown: no log key was found (-log-key), so a key that was exchanged in the database "+
				"is not noticed\n")
		}
		if logs.NoRecord {
			fmt.Fprintf(&out, "unknown: no record of what was signed was found beside the log key (-log-signed), so "+
				"an older copy of the database is not noticed\n")
		}
	} else if result.Checked > 0 {
		fmt.Fprintf(&out, "no log is signed, so only the journal was compared\n")
	}
	return out.Bytes()
}

// named returns the id of a wrong object, with a space in front. For a decision, it adds the
// version of the engine that made the decision. It returns "" if the journal itself is wrong.
func named(w decisioning.Wrong) string {
	switch {
	case w.ID == "":
		return ""
	case w.EngineVersion == "":
		return " " + w.ID
	}
	return fmt.Sprintf(" %s (engine %s)", w.ID, w.EngineVersion)
}
