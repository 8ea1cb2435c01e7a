package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdict/internal/app"
)

// examined runs doctor and returns its exit code and findings.
func examined(t *testing.T, args ...string) (int, []app.Finding) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(append([]string{"doctor", "-json"}, args...), strings.NewReader(""), &out, &errs)
	var answer struct{ Findings []app.Finding }
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	return code, answer.Findings
}

// wantFinding fails unless there is a finding of the check with the severity
// and the text.
func wantFinding(t *testing.T, all []app.Finding, check string, severity app.Severity, text string) {
	t.Helper()
	for _, f := range all {
		if f.Check == check && f.Severity == severity && strings.Contains(f.Text, text) {
			if severity == app.Wrong && f.Mend == "" {
				t.Errorf("%s: it does not say how to mend it: %s", check, f.Text)
			}
			return
		}
	}
	t.Errorf("no finding %s %s %q in\n%+v", severity, check, text, all)
}

// snapshot returns the names, sizes and times of all files of a folder.
func snapshot(t *testing.T, folder string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		changed := info.ModTime().String()
		if strings.HasSuffix(e.Name(), "-shm") {
			changed = "" // every reader of a SQLite database writes its locks there
		}
		files = append(files, e.Name()+" "+changed+" "+info.Mode().String())
	}
	return files
}

// stopServe ends a service as a supervisor does.
func stopServe(t *testing.T, p *process) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.log)
	}
}

// TestDoctorOfANewService examines a folder before the first start, a running service,
// and the folder after the service has stopped. The examinations must create and change
// nothing.
func TestDoctorOfANewService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := "sqlite:" + filepath.Join(dir, "verdict.db")
	closed := "127.0.0.1:1" // nothing listens on this port
	code, found := examined(t, "-database-url", url, "-addr", closed)
	if code == exitRefused {
		t.Errorf("a new installation is wrong: %+v", found)
	}
	wantFinding(t, found, "database", app.Note, "the first start creates it")
	wantFinding(t, found, "service", app.Note, "no service answers")
	wantFinding(t, found, "keys", app.Note, "no master key")
	if len(snapshot(t, dir)) != 0 {
		t.Errorf("doctor created %v", snapshot(t, dir))
	}

	p := startServe(t, "-database-url", url)
	_, found = examined(t, "-database-url", url, "-addr", strings.TrimPrefix(p.url, "http://"))
	wantFinding(t, found, "service", app.Good, "is ready")
	wantFinding(t, found, "database", app.Good, "can be read")
	if slices.ContainsFunc(found, func(f app.Finding) bool { return strings.Contains(f.Text, "uses another one") }) {
		t.Errorf("the database is that of the service: %+v", found)
	}
	wantFinding(t, found, "keys", app.Good, "is that of the database")
	wantFinding(t, found, "keys", app.Good, "the log key")
	other := "sqlite:" + filepath.Join(t.TempDir(), "verdict.db") // as in another folder than that of the service
	code, found = examined(t, "-database-url", other, "-addr", strings.TrimPrefix(p.url, "http://"))
	wantFinding(t, found, "database", app.Warning, "so it uses another one")
	if code != exitWarnings || slices.ContainsFunc(found, func(f app.Finding) bool {
		return strings.Contains(f.Text, "first start")
	}) {
		t.Errorf("in another folder: exit %d, %+v", code, found)
	}
	stopServe(t, startServe(t, "-database-url", other)) // now the other folder has a database too
	code, found = examined(t, "-database-url", other, "-addr", strings.TrimPrefix(p.url, "http://"))
	wantFinding(t, found, "database", app.Warning, "so it uses another one")
	if code != exitWarnings {
		t.Errorf("with a database that the service does not use: exit %d, %+v", code, found)
	}
	stopServe(t, p)

	before := snapshot(t, dir)
	code, found = examined(t, "-database-url", url, "-addr", closed)
	if code == exitRefused || !slices.Equal(snapshot(t, dir), before) {
		t.Errorf("exit %d, %+v; files before and after:\n%v\n%v", code, found, before, snapshot(t, dir))
	}

	// A key that was lost, and one of another database.
	master := filepath.Join(dir, "verdict.db.master-key")
	key, err := os.ReadFile(master)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(master); err != nil {
		t.Fatal(err)
	}
	code, found = examined(t, "-database-url", url, "-addr", closed)
	wantFinding(t, found, "keys", app.Wrong, "is missing")
	if code != exitRefused {
		t.Errorf("a lost key: exit %d", code)
	}
	var errs bytes.Buffer
	if code := run([]string{"keys", "create", master}, strings.NewReader(""), &errs, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	_, found = examined(t, "-database-url", url, "-addr", closed)
	wantFinding(t, found, "keys", app.Wrong, "is not the one")
	if err := os.WriteFile(master, key, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(master, 0o644); err != nil {
		t.Fatal(err)
	}
	_, found = examined(t, "-database-url", url, "-addr", closed)
	wantFinding(t, found, "keys", app.Wrong, "everybody on this machine can read")
}

// TestDoctorFindsFaults examines one fault after the other.
func TestDoctorFindsFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, oldKey := certificate(t, dir, "old", -time.Hour)
	soon, soonKey := certificate(t, dir, "soon", 5*24*time.Hour)
	future := file("future.db", "")
	if err := os.Chtimes(future, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	url, noDatabase := "sqlite:"+filepath.Join(dir, "verdict.db"), file("text.db", strings.Repeat("text ", 1000))
	for name, c := range map[string]struct {
		args     []string
		check    string
		severity app.Severity
		text     string
	}{
		"setting": {[]string{"-read-timeout", "soon"}, "configuration", app.Wrong, "-read-timeout"},
		"address": {[]string{"-addr", "0.0.0.0:1"}, "configuration", app.Warning, "without TLS"},
		"folder": {[]string{"-database-url", "sqlite:/no/such/verdict.db"}, "database", app.Wrong,
			"does not exist"},
		"no database": {[]string{"-database-url", "sqlite:" + noDatabase}, "database", app.Wrong,
			"is not a SQLite database"},
		"server": {
			[]string{"-database-url", "postgres://verdict:secret@127.0.0.1:1/verdict", "-log-key", "off", "-master-key",
				"off"},
			"database", app.Wrong, "",
		},
		"no master key": {
			[]string{"-database-url", "postgres://127.0.0.1:1/verdict"}, "keys", app.Wrong, "needs a master key",
		},
		"unencrypted":  {[]string{"-master-key", "off"}, "keys", app.Warning, "unencrypted"},
		"not signed":   {[]string{"-log-key", "off"}, "keys", app.Warning, "not signed"},
		"expired":      {[]string{"-tls-cert", old, "-tls-key", oldKey}, "tls", app.Wrong, "expired"},
		"expires soon": {[]string{"-tls-cert", soon, "-tls-key", soonKey}, "tls", app.Warning, "expires in"},
		"another key":  {[]string{"-tls-cert", soon, "-tls-key", oldKey}, "tls", app.Wrong, "cannot be used"},
		"sign-on": {
			[]string{
				"-sign-on", file("connections.json", `{"connections":[{"id":"Acme"}]}`), "-sign-on-url",
				"https://v.example",
			}, "configuration", app.Wrong, "/connections/0/id",
		},
		"no backup": {[]string{"-backup", dir}, "backups", app.Wrong, "there is no backup"},
		"clock":     {[]string{"-database-url", "sqlite:" + future}, "clock", app.Wrong, "the clock is behind"},
	} {
		code, found := examined(t, append([]string{"-addr", "127.0.0.1:1", "-database-url", url}, c.args...)...)
		wantFinding(t, found, c.check, c.severity, c.text)
		if (code == exitRefused) != slices.ContainsFunc(found,
			func(f app.Finding) bool { return f.Severity == app.Wrong }) {
			t.Errorf("%s: exit %d, %+v", name, code, found)
		}
		for _, f := range found {
			if strings.Contains(f.Text, "secret") {
				t.Errorf("%s: a finding shows the password: %s", name, f.Text)
			}
		}
	}
}

// TestDoctorKnowsTheAgeOfBackups takes a backup and examines it a day later.
func TestDoctorKnowsTheAgeOfBackups(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := "sqlite:" + filepath.Join(dir, "verdict.db")
	stopServe(t, startServe(t, "-database-url", url))
	backups := filepath.Join(dir, "backups")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if code := run([]string{
		"backup", "-database-url", url, "-o", filepath.Join(backups, "one.backup"), "-keys",
		filepath.Join(dir, "one.keys"),
	}, strings.NewReader(""), &errs, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	_, found := examined(t, "-addr", "127.0.0.1:1", "-database-url", url, "-backup", backups)
	wantFinding(t, found, "backups", app.Good, "one.backup")
	_, found = examined(t, "-addr", "127.0.0.1:1", "-database-url", url, "-backup", backups, "-backup-age", "1ns")
	wantFinding(t, found, "backups", app.Wrong, "old")
	for i := range 10_000 { // older files, whose names come first
		if err := os.WriteFile(filepath.Join(backups, fmt.Sprintf("0-%05d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, found = examined(t, "-addr", "127.0.0.1:1", "-database-url", url, "-backup", backups)
	wantFinding(t, found, "backups", app.Good, "one.backup")
}

// certificate writes a certificate that expires after some time, and its key.
func certificate(t *testing.T, dir, name string, left time.Duration) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"verdict.example"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(left),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
