package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/logkey"
)

// refuseStart starts a service with settings that must be refused, and checks the error. The database is a new file
// in the folder.
func refuseStart(t *testing.T, folder, want string, args ...string) {
	t.Helper()
	config, err := load(t, append([]string{"-addr", "127.0.0.1:0", "-database-url",
		"sqlite:" + filepath.Join(folder, "verdict.db")}, args...), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), config, io.Discard)
	switch {
	case err == nil:
		t.Errorf("%v is not refused", args)
		_ = a.Close()
	case !strings.Contains(err.Error(), want):
		t.Errorf("%v: the error is %v, want %q", args, err, want)
	}
}

// TestRefusedStartLeavesNothing checks that a start that is refused has created no file: no database, no key, no
// lock and no record of what was signed.
func TestRefusedStartLeavesNothing(t *testing.T) {
	t.Parallel()
	running, _, _ := startApp(t)
	files := t.TempDir()
	none, text := filepath.Join(files, "none"), filepath.Join(files, "text")
	write := func(path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text, "this is neither a key nor a table\n")
	write(filepath.Join(files, "log-key.signed-1"), "this is no checkpoint\n")
	damaged := filepath.Join(files, "log-key")
	if _, err := logkey.Create(damaged, strings.NewReader(strings.Repeat("k", 32))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"address in use":         {[]string{"-addr", running.Addr()}, "-addr or VERDICT_ADDR"},
		"metrics address in use": {[]string{"-metrics-addr", running.Addr()}, "-metrics-addr or VERDICT_METRICS_ADDR"},
		"no such host":           {[]string{"-addr", "192.0.2.1:0"}, "listen"},
		"no certificate":         {[]string{"-tls-cert", none, "-tls-key", none}, "certificate"},
		"not a certificate":      {[]string{"-tls-cert", text, "-tls-key", text}, "certificate"},
		"no table of addresses":  {[]string{"-ip-countries", none}, "-ip-countries"},
		"not a table":            {[]string{"-ip-countries", text}, "-ip-countries"},
		"no sign-on file": {[]string{"-sign-on", none, "-sign-on-url", "https://verdict.example.in"},
			"-sign-on"},
		"no log key":         {[]string{"-log-key", none}, "verdict log create-key"},
		"not a log key":      {[]string{"-log-key", text}, "not a log key"},
		"no folder for it":   {[]string{"-log-signed", none}, "-log-signed"},
		"a file, no folder":  {[]string{"-log-signed", text}, "-log-signed"},
		"damaged record":     {[]string{"-log-key", damaged}, "line 1 cannot be read"},
		"no master key":      {[]string{"-master-key", "file:" + none}, "verdict keys create"},
		"not a master key":   {[]string{"-master-key", "file:" + text}, "not a master key"},
		"no such variable":   {[]string{"-master-key", "env:VERDICT_TEST_NONE"}, "not set"},
		"no such command":    {[]string{"-master-key", "exec:" + none}, "run the command"},
		"neither of the two": {[]string{"-addr", running.Addr(), "-ip-countries", none}, "-ip-countries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			refuseStart(t, folder, c.want, c.args...)
			left, err := os.ReadDir(folder)
			if err != nil || len(left) > 0 {
				t.Errorf("the refused start leaves %v (%v)", left, err)
			}
		})
	}
}

// TestRefusedStartSaysAll checks that a refused start names everything that is wrong, so that nobody has to start again
// and again.
func TestRefusedStartSaysAll(t *testing.T) {
	t.Parallel()
	running, _, _ := startApp(t)
	none := filepath.Join(t.TempDir(), "none")
	for _, want := range []string{"-addr or VERDICT_ADDR", "certificate", "-ip-countries", "-log-key", "-master-key"} {
		refuseStart(t, t.TempDir(), want, "-addr", running.Addr(), "-tls-cert", none, "-tls-key", none,
			"-ip-countries", none, "-log-key", none, "-master-key", "file:"+none)
	}
}

// TestSameAddressTwice checks that the API and the metrics cannot have the same address.
func TestSameAddressTwice(t *testing.T) {
	t.Parallel()
	running, _, stop := startApp(t)
	free := running.Addr()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	refuseStart(t, folder, "-metrics-addr or VERDICT_METRICS_ADDR", "-addr", free, "-metrics-addr", free)
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("the refused start leaves %v (%v)", left, err)
	}
}

// TestLostKeyChangesNothing starts a service without the key that its database needs. The refused start must not
// create another file: before, a log key was created and then the master key was missed.
func TestLostKeyChangesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "verdict.db")
	first := []string{"-database-url", "sqlite:" + file, "-log-key", "off"}
	if _, err := startsWith(t, first...); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file + ".master-key"); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	refuseStart(t, folder, "restore it from a backup")
	refuseStart(t, folder, "cannot run with -master-key off", "-master-key", "off")
	after, err := os.ReadDir(folder)
	if err != nil || len(after) != len(before) {
		t.Errorf("the folder had %v, and has %v (%v)", before, after, err)
	}
}
