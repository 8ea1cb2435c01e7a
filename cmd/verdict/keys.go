package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	iofs "io/fs"
	"strings"
	"time"

	"verdict/internal/app"
	"verdict/internal/masterkey"
	"verdict/internal/store"
)

const keysHelp = `Manage the master key, with which applicants' data is encrypted.

  verdict keys create FILE    write a new master key, for -master-key file:FILE; - prints it
  verdict keys rotate         replace the master key by a new one, while the service runs
  verdict keys confirm        record that all copies of the former keys are destroyed
  verdict keys list           list the keys, with their fingerprints and times

Give the same file to every node, keep it secret, and back it up apart from the
database: without it nothing that is stored about applicants can be read. "create"
never replaces a file that exists.

"rotate" encrypts the key trees of all tenants with a new key and then removes the
old one from the key file. During the rotation the file has both keys, one on each
line. Every running node must get the new key before it is used: nodes that share
the file, or have a file on the same machine, read it by themselves. Otherwise the
command waits (-wait), names the nodes that do not have it, and ends; copy the
file to them and run the command again. A rotation that was interrupted continues
with the next "rotate".

Keys in env:NAME or exec:COMMAND are changed by you: add the new key, which
"create -" prints, as a second line after the present one; run "rotate"; remove
the first line; run "rotate" again, which records that the old key is destroyed.

Afterwards destroy the old key everywhere else: copies of the key file, and the
KEYS files of backups that were taken before. Then "confirm" it. From then on what
was erased before the rotation cannot be read from any copy of the database.
`

func keysCommand(c *command) int {
	return c.subcommand(keysHelp, verbs{
		"create": keysCreate, "rotate": keysRotate, "confirm": keysConfirm, "list": keysList,
	})
}

func keysCreate(c *command) int {
	fs := c.flags(keysHelp)
	kept := ifMissing(fs)
	words, code, done := c.arguments(fs, "FILE")
	if done {
		return code
	}
	if words[0] == standardInput {
		key, err := masterkey.New(rand.Reader)
		if err != nil {
			return c.usage("%v", err)
		}
		return c.print(masterkey.Format(key))
	}
	_, err := masterkey.Create(words[0], rand.Reader)
	return createdKey(c, words[0], *kept, err)
}

// ifMissing adds the flag -if-missing, which is for scripts that run at every start.
func ifMissing(fs *flag.FlagSet) *bool {
	return fs.Bool("if-missing", false, "keep a key file that exists, instead of failing")
}

// createdKey reports a key file that was created, or that exists and is kept.
func createdKey(c *command, path string, keep bool, err error) int {
	switch {
	case keep && errors.Is(err, iofs.ErrExist):
		return c.print(fmt.Appendf(nil, "kept %s\n", path))
	case err != nil:
		return c.usage("%v", err)
	}
	return c.print(fmt.Appendf(nil, "created %s\n", path))
}

func keysRotate(c *command) int {
	fs := c.flags(keysHelp)
	settings := app.Bind(fs, "database-url", "master-key")
	wait := fs.Duration("wait", 2*time.Minute, "how long to wait until all running nodes have the new key")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, config app.Config, db *store.DB) int {
		bar := c.progress(-1, "encrypting key trees")
		r, err := app.RotateMasterKey(ctx, config, db, app.RotateOptions{
			Wait: max(*wait, time.Nanosecond), // 0 would be the default
			Progress: func(done, all int64) {
				bar.ChangeMax64(all)
				_ = bar.Set64(done)
			},
		})
		_ = bar.Finish()
		if err != nil {
			return c.failed(err)
		}
		return c.print(describeRotation(r))
	})
}

// describeRotation returns a text about what a rotation did and what the operator has to do now.
func describeRotation(r app.Rotation) (text []byte) {
	what := "replaced the master key"
	if r.Completed {
		what = "completed the rotation of the master key that was begun before"
	}
	text = fmt.Appendf(text, "%s\n", what)
	if len(r.Left) > 0 {
		return fmt.Appendf(text, "the old key encrypts nothing any more, but it is still here: %s\nremove it, and run "+
			"the command again\n", strings.Join(r.Left, "; "))
	}
	return fmt.Appendf(text, "the old key is removed; destroy its copies, and the KEYS files of backups from before "+
		"%s, and then run \"verdict keys confirm\"\n", r.Began.UTC().Format(time.RFC3339))
}

func keysConfirm(c *command) int {
	fs := c.flags(keysHelp)
	settings := databaseFlags(fs)
	if _, code, done := c.arguments(fs); done {
		return code
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, _ app.Config, db *store.DB) int {
		confirmed, err := db.Secrets().ConfirmKeys(ctx, time.Now().UnixMicro())
		if err != nil {
			return c.failed(err)
		}
		return c.print(fmt.Appendf(nil, "confirmed that the copies of %d former keys are destroyed\n", confirmed))
	})
}

func keysList(c *command) int {
	fs := c.flags(keysHelp)
	settings := databaseFlags(fs)
	if _, code, done := c.arguments(fs); done {
		return code
	}
	c.existing = true
	return c.withStore(settings, func(ctx context.Context, _ app.Config, db *store.DB) int {
		epochs, err := db.Secrets().KeyEpochs(ctx)
		if err != nil {
			return c.failed(err)
		}
		return c.print(describeKeys(epochs))
	})
}

// describeKeys lists the keys of a database, one on each line.
func describeKeys(epochs store.KeyEpochs) (text []byte) {
	present, _ := epochs.Present()
	for _, e := range epochs.List {
		state := "announced, encrypts nothing yet"
		switch {
		case e.Number == present.Number:
			state = "present"
		case e.ConfirmedMicros != 0:
			state = "destroyed, copies destroyed " + keyTime(e.ConfirmedMicros)
		case e.DestroyedMicros != 0:
			state = "destroyed " + keyTime(e.DestroyedMicros) + ", copies not confirmed"
		case e.ReplacedMicros != 0:
			state = "replaced " + keyTime(e.ReplacedMicros) + ", not removed everywhere"
		case e.Number < present.Number:
			state = "being replaced"
		}
		text = fmt.Appendf(text, "%d  %x  since %s  %s\n", e.Number, e.Fingerprint[:min(8, len(e.Fingerprint))],
			keyTime(e.BegunMicros), state)
	}
	return text
}

// keyTime formats a time for the list. It returns "-" if the time is not known.
func keyTime(micros int64) string {
	if micros == 0 {
		return "-"
	}
	return time.UnixMicro(micros).UTC().Format(time.RFC3339)
}
