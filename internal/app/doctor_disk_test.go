package app

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDoctorExaminesTheDisk checks the findings about free space, with disks whose free space the test sets. The
// database and the log are on two disks.
func TestDoctorExaminesTheDisk(t *testing.T) {
	t.Parallel()
	data, log := t.TempDir(), t.TempDir()
	const enough = 5 << 30
	for name, c := range map[string]struct {
		free     uint64 // on the disk of the database
		err      error
		severity Severity
		text     string
	}{
		"enough":           {enough, nil, Good, "has 5 GiB free"},
		"at the warning":   {littleSpace, nil, Good, "has 1 GiB free"},
		"below it":         {littleSpace - 1, nil, Warning, "has 1023 MiB free"},
		"at the error":     {noSpace, nil, Warning, "has 64 MiB free"},
		"nearly full":      {noSpace - 1, nil, Wrong, "has 63 MiB free"},
		"full":             {0, nil, Wrong, "has 0 MiB free"},
		"cannot be read":   {0, errors.New("input/output error"), Wrong, "cannot be read: input/output error"},
		"no such folder":   {0, fs.ErrNotExist, Note, "was not checked"},
		"another platform": {0, errors.ErrUnsupported, Note, "was not checked"},
	} {
		settings := Bind(flag.NewFlagSet("", flag.ContinueOnError))
		found := Examine(t.Context(), settings, Examination{
			Environ: []string{
				"VERDICT_DATABASE_URL=sqlite:" + filepath.Join(data, "verdict.db"), "VERDICT_LOG_SIGNED=" + log,
			},
			Now: time.Now,
			Probe: func(context.Context, Config) (bool, string, error) {
				return false, "", errors.New("nobody answers")
			},
			FreeSpace: func(folder string) (uint64, error) {
				if folder == data {
					return c.free, c.err
				}
				return enough, nil
			},
		})
		disks := slices.DeleteFunc(found, func(f Finding) bool { return f.Check != "disk" })
		of := func(folder string) Finding {
			i := slices.IndexFunc(disks, func(f Finding) bool { return strings.Contains(f.Text, folder+" ") })
			if i < 0 {
				t.Fatalf("%s: no finding about %s in %+v", name, folder, disks)
			}
			return disks[i]
		}
		if f := of(data); f.Severity != c.severity || !strings.Contains(f.Text, c.text) ||
			(f.Mend == "") != (c.severity == Good || c.severity == Note) {
			t.Errorf("%s: %+v", name, f)
		}
		if len(disks) != 2 || of(log).Severity != Good {
			t.Errorf("%s: the disk of the log: %+v", name, disks)
		}
	}
}
