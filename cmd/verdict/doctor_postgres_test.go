package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"verdict/internal/app"
	"verdict/internal/pgcluster"
)

// patient is a private PostgreSQL server with a migrated database.
type patient struct {
	*testing.T
	server *pgcluster.Cluster
	url    string
	keys   []string // arguments that name keys
}

// closePatient closes a server at the end of the test.
func closePatient(t *testing.T, c *pgcluster.Cluster) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func newPatient(t *testing.T, settings ...string) *patient {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: PostgreSQL")
	}
	server, err := pgcluster.Start(t.Context(), pgcluster.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	closePatient(t, server)
	p := &patient{T: t, server: server}
	if p.url, err = server.Create(t.Context(), "doctor"); err != nil {
		t.Fatal(err)
	}
	p.keys = p.makeKeys("own")
	p.verdict("migrate", "-database-url", p.url)
	return p
}

// makeKeys creates a master key and a log key, and returns the arguments that name them.
func (p *patient) makeKeys(name string) []string {
	p.Helper()
	dir := p.TempDir()
	master, log := filepath.Join(dir, name+".master"), filepath.Join(dir, name+".log")
	p.verdict("keys", "create", master)
	p.verdict("log", "create-key", log)
	return []string{"-master-key", "file:" + master, "-log-key", log, "-log-signed", dir}
}

// verdict runs a command that must succeed.
func (p *patient) verdict(args ...string) {
	p.Helper()
	var out bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &out); code != exitOK {
		p.Fatalf("verdict %s: exit %d: %s", strings.Join(args, " "), code, &out)
	}
}

// execute runs statements as the superuser of the server.
func (p *patient) execute(statements ...string) {
	p.Helper()
	if err := p.server.Execute(p.Context(), statements...); err != nil {
		p.Fatal(err)
	}
}

// in executes statements as the superuser, connected to the migrated database.
func (p *patient) in(statements ...string) {
	p.Helper()
	conn := p.connect(p.as("postgres"))
	for _, statement := range statements {
		if _, err := conn.Exec(p.Context(), statement); err != nil {
			p.Fatalf("%s: %v", statement, err)
		}
	}
	if err := conn.Close(p.Context()); err != nil {
		p.Fatal(err)
	}
}

func (p *patient) connect(url string) *pgx.Conn {
	p.Helper()
	conn, err := pgx.Connect(p.Context(), url)
	if err != nil {
		p.Fatal(err)
	}
	return conn
}

// as returns the URL of the database for another user.
func (p *patient) as(user string) string {
	return strings.Replace(p.url, pgcluster.Role+"@", user+"@", 1)
}

// examine examines the database at a URL.
func (p *patient) examine(url string, args ...string) (int, []app.Finding) {
	p.Helper()
	all := append([]string{"-addr", "127.0.0.1:1", "-db-connections", "4", "-database-url", url}, p.keys...)
	return examined(p.T, append(all, args...)...)
}

// wants examines the database at a URL and expects a finding about it.
func (p *patient) wants(url string, severity app.Severity, text string, args ...string) {
	p.Helper()
	code, found := p.examine(url, args...)
	wantFinding(p.T, found, "database", severity, text)
	if severity == app.Wrong && code != exitRefused {
		p.Errorf("%s: exit %d", text, code)
	}
}

// wantsNot expects no error and no warning about the database, other than the one that is allowed.
func (p *patient) wantsNot(url, allowed string) {
	p.Helper()
	_, found := p.examine(url)
	for _, f := range found {
		bad := f.Severity == app.Wrong || f.Severity == app.Warning
		if f.Check == "database" && bad && (allowed == "" || !strings.Contains(f.Text, allowed)) {
			p.Errorf("%s %s", f.Severity, f.Text)
		}
	}
}

// TestDoctorOfPostgres provokes each finding about a PostgreSQL server and its users.
func TestDoctorOfPostgres(t *testing.T) {
	t.Parallel()
	p := newPatient(t, "max_connections=25")
	p.wantsNot(p.url, "")
	p.wants(p.url, app.Good, "the postgres database can be read")
	p.wants(p.url, app.Note, "there is no synchronous standby")

	// Settings of the server, the database and the connection.
	p.wants(p.url, app.Wrong, "the server allows 22 connections, and one node opens up to 40", "-db-connections", "30")
	p.wants(p.url+"&synchronous_commit=off", app.Wrong, "synchronous_commit is off")
	p.wants(p.url+"&synchronous_commit=local", app.Wrong, "synchronous_commit is local")
	p.execute("ALTER DATABASE doctor SET default_transaction_read_only = on")
	p.wants(p.url, app.Wrong, "default_transaction_read_only is on")
	p.execute("ALTER DATABASE doctor RESET default_transaction_read_only")

	// Functions in these schemas hide the functions of the system that have the same names, so that the
	// server answers like another server.
	p.in("CREATE SCHEMA older", "GRANT USAGE ON SCHEMA older TO "+pgcluster.Role,
		`CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql AS $$ SELECT CASE name
			WHEN 'server_version' THEN '12.22' WHEN 'server_version_num' THEN '120022'
			ELSE pg_catalog.current_setting(name) END $$`,
		"CREATE SCHEMA late", "GRANT USAGE ON SCHEMA late TO "+pgcluster.Role,
		`CREATE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$
			SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$`,
		"CREATE SCHEMA far", "GRANT USAGE ON SCHEMA far TO "+pgcluster.Role,
		"CREATE FUNCTION far.inet_server_addr() RETURNS inet LANGUAGE sql AS $$ SELECT inet '192.0.2.1' $$")
	p.wants(p.url+"&search_path=public,older,pg_catalog", app.Warning, "the server is PostgreSQL 12.22")
	p.wants(p.url+"&search_path=public,far,pg_catalog", app.Warning, "not encrypted")
	_, found := p.examine(p.url + "&search_path=public,late,pg_catalog")
	// An answer that takes time makes the proved difference smaller.
	wantFinding(t, found, "clock", app.Wrong, "the clock of the database server differs by at least 59m")

	// Users.
	p.wants(p.as("postgres"), app.Warning, "row-level security does not apply")
	p.wants(p.as("nobody"), app.Wrong, "nobody")
	p.wants(strings.Replace(p.url, "/doctor?", "/none?", 1), app.Wrong, "none")
	p.execute("CREATE ROLE guest LOGIN", "CREATE DATABASE foreign_owner")
	p.wants(p.as("guest"), app.Wrong, "permission denied")
	p.in("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest", "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN "+
		"SCHEMA public TO guest", "REVOKE INSERT ON decisions FROM guest")
	p.wants(p.as("guest"), app.Wrong, "may not read and write decisions")
	p.wants(p.as("guest"), app.Wrong, "may not create tables")
	p.wants(strings.Replace(p.url, "/doctor?", "/foreign_owner?", 1), app.Wrong, "may not create tables")

	// Open connections until none is left.
	var held []*pgx.Conn
	for range 20 {
		held = append(held, p.connect(p.url))
	}
	p.wants(p.url, app.Warning, "of the 22 connections of the server are in use")
	for range 2 {
		held = append(held, p.connect(p.url))
	}
	_, found = p.examine(p.url)
	wantMend(t, found, "database", "all connections of the server")
	for _, conn := range held {
		if err := conn.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
	for user, mend := range map[string]string{p.as("nobody"): "pg_hba.conf", p.as("guest"): "own the database"} {
		_, found := p.examine(user)
		wantMend(t, found, "database", mend)
	}
}

// TestDoctorOfDurability examines a server that may lose data, and a standby.
func TestDoctorOfDurability(t *testing.T) {
	t.Parallel()
	p := newPatient(t, "fsync=off", "full_page_writes=off")
	p.wants(p.url, app.Wrong, "fsync is off")
	p.wants(p.url, app.Wrong, "full_page_writes is off")
	standby, err := p.server.Standby(t.Context(), "second")
	if err != nil {
		t.Fatal(err)
	}
	closePatient(t, standby)
	p.wants(standby.URL("doctor"), app.Wrong, "the server is a standby")

	// The service finds the primary among several servers.
	_, found := p.examine(pgcluster.URLs("doctor", standby, p.server))
	wantFinding(t, found, "database", app.Good, "can be read")
}

// TestDoctorOfKeys examines the keys and the backups of a service on PostgreSQL.
func TestDoctorOfKeys(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	stopServe(t, startServe(t, append([]string{"-database-url", p.url}, p.keys...)...))
	_, found := p.examine(p.url)
	wantFinding(t, found, "keys", app.Good, "is that of the database")
	wantFinding(t, found, "keys", app.Good, "the log key")

	own := p.keys
	p.keys = p.makeKeys("other")
	_, found = p.examine(p.url)
	wantFinding(t, found, "keys", app.Wrong, "the master key")
	wantFinding(t, found, "keys", app.Wrong, "the log key")
	p.keys = []string{"-master-key", "off", "-log-key", "off"}
	_, found = p.examine(p.url)
	wantFinding(t, found, "keys", app.Wrong, "-master-key is off")
	p.keys = nil
	_, found = p.examine(p.url)
	wantFinding(t, found, "keys", app.Wrong, "needs a log key")

	p.keys = own
	backups := t.TempDir()
	_, found = p.examine(p.url, "-backup", backups)
	wantFinding(t, found, "backups", app.Wrong, "there is no backup")
	p.verdict("backup", "-database-url", p.url, "-master-key", own[1], "-o", filepath.Join(backups, "one.backup"),
		"-keys", filepath.Join(t.TempDir(), "one.keys"))
	_, found = p.examine(p.url, "-backup", backups)
	wantFinding(t, found, "backups", app.Good, "one.backup")
	_, found = p.examine(p.url, "-backup", backups, "-backup-age", "1ns")
	wantFinding(t, found, "backups", app.Wrong, "old")
	if err := os.Remove(strings.TrimPrefix(own[1], "file:")); err != nil {
		t.Fatal(err)
	}
	_, found = p.examine(p.url)
	wantFinding(t, found, "keys", app.Wrong, "is missing")
}

// wantMend fails unless a finding of the check has advice that contains the text.
func wantMend(t *testing.T, all []app.Finding, check, text string) {
	t.Helper()
	for _, f := range all {
		if f.Check == check && strings.Contains(f.Mend, text) {
			return
		}
	}
	t.Errorf("no finding of %s says %q in\n%+v", check, text, all)
}
