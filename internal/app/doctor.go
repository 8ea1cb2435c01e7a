package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"verdict/internal/store"
)

// Severity says how bad a finding of Examine is.
type Severity string

// The severities, from harmless to bad.
const (
	Good    Severity = "ok"
	Note    Severity = "note"    // not a problem: a check that was not made, or something worth knowing
	Warning Severity = "warning" // the service works, but not as it should in production
	Wrong   Severity = "error"   // the service does not start, does not decide, or loses something
)

// Finding is the result of one check.
type Finding struct {
	Check    string   `json:"check"` // configuration, service, database, disk, clock, tls, keys or backups
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Mend     string   `json:"mend,omitempty"` // what to do; empty if there is nothing to do
}

// Examination says what Examine needs besides the settings.
type Examination struct {
	Environ   []string         // the environment variables, as NAME=VALUE
	Backups   string           // a backup file, or a folder with backups; "" if not known
	BackupAge time.Duration    // the age at which the newest backup is too old
	Now       func() time.Time // the clock
	// FreeSpace returns how many bytes can still be written to the disk of a folder. If it is nil, Examine asks the
	// operating system.
	FreeSpace func(folder string) (uint64, error)
	// Probe asks the running service whether it is ready. It returns an error if no service answers.
	Probe func(ctx context.Context, c Config) (ready bool, reason string, err error)
}

// Examine checks the settings and what they name: the database, the disk, the clock, the certificate, the keys and the
// backups. It changes nothing, and ends when ctx does.
func Examine(ctx context.Context, s *Settings, e Examination) []Finding {
	if e.FreeSpace == nil {
		e.FreeSpace = freeSpace
	}
	d := &examiner{Examination: e}
	config, err := s.Load(d.getenv)
	d.configuration(config, err)
	if err != nil {
		return d.findings // without valid settings it is not known what to check
	}
	d.Config = config
	d.service(ctx)
	d.database(ctx)
	d.disk()
	d.clock()
	d.certificate()
	d.masterKey(ctx)
	d.logKey()
	d.backups()
	return d.findings
}

// examiner collects the findings.
type examiner struct {
	Examination
	Config
	findings  []Finding
	ready     bool              // whether a service has answered that it is ready
	elsewhere bool              // whether a service is ready, but its database is not in this folder
	inspected *store.Inspection // nil if the database could not be read or does not exist
}

func (d *examiner) getenv(name string) string {
	for _, line := range d.Environ {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// now returns the time of the examination's clock, not of the service's clock.
func (d *examiner) now() time.Time { return d.Examination.Now() }

func (d *examiner) add(check string, severity Severity, mend, format string, args ...any) {
	d.findings = append(d.findings, Finding{
		Check: check, Severity: severity, Text: fmt.Sprintf(format, args...), Mend: mend,
	})
}

func (d *examiner) good(check, format string, args ...any) { d.add(check, Good, "", format, args...) }

// configuration checks the settings themselves.
func (d *examiner) configuration(c Config, loading error) {
	const check = "configuration"
	before := len(d.findings)
	if loading != nil {
		for line := range strings.SplitSeq(loading.Error(), "\n") {
			d.add(check, Wrong, `correct the setting; "verdict serve -h" explains each`, "%s", line)
		}
		return
	}
	for _, name := range UnknownVariables(d.Environ) {
		if name == "VERDICT_KEY" { // not a setting, but commands that call a service read it
			continue
		}
		text := "the variable %s is not a setting"
		if near := LikelyVariable(name); near != "" {
			text += "; did you mean " + near + "?"
		}
		d.add(check, Warning, `correct the name, or remove the variable; "verdict serve -h" lists all`, text, name)
	}
	if c.unencrypted(c.Addr) {
		d.add(check, Warning, "set -tls-cert and -tls-key, or -trusted-proxies if a proxy terminates TLS",
			"the API is served without TLS on an address that other machines can reach")
	}
	if limit := openFiles(); limit > 0 && limit < uint64(c.MaxConnections)+reservedFiles {
		d.add(check, Warning,
			"raise the limit of the process (LimitNOFILE of the unit, ulimit -n) or lower -max-connections",
			"this shell may open %d files, and the service accepts %d connections", limit, c.MaxConnections)
	}
	if _, err := newConnections(c); err != nil { // this reads the file and sends no request
		for line := range strings.SplitSeq(err.Error(), "\n") {
			d.add(check, Wrong, "correct the file; docs/SIGNON.md explains each member", "%s", line)
		}
	}
	if len(d.findings) == before {
		d.good(check, "every setting is valid")
	}
}

// reservedFiles is how many files the service opens besides its connections.
const reservedFiles = 64

// service asks the running service whether it is ready.
func (d *examiner) service(ctx context.Context) {
	const check = "service"
	ready, reason, err := d.Probe(ctx, d.Config)
	switch {
	case err != nil:
		d.add(check, Note, "", "no service answers at %s", d.Addr)
	case !ready:
		d.add(check, Wrong, "fix the cause that it names; docs/RUNBOOK.md has a section for each",
			"the service at %s is not ready: %s", d.Addr, reason)
	default:
		d.ready = true
		d.good(check, "the service at %s is ready", d.Addr)
	}
}

// private adds an error if others can read a file with a secret. It reports
// whether the file is there.
func (d *examiner) private(check, path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if othersMayRead(info.Mode()) {
		d.add(check, Wrong, fmt.Sprintf("chmod 600 %s; if others had access, replace the key", path),
			"everybody on this machine can read %s", path)
	}
	return true
}

// othersMayRead reports whether a file is readable for everybody. Access for a group is the operator's choice: the
// settings of an installed package belong to the group verdict.
func othersMayRead(mode fs.FileMode) bool { return !onWindows && mode.Perm()&0o004 != 0 }
