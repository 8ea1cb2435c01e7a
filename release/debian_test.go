package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// debianInstalls unpacks the package and checks what it would install. With
// VERDICT_LONG it also installs, upgrades, removes and purges it in a new Debian
// root.
func debianInstalls(t *testing.T, path string) {
	root := t.TempDir()
	command(t, "dpkg-deb", "--extract", path, root)
	decides(t, filepath.Join(root, "usr/bin/verdict"))
	if info, err := os.Stat(filepath.Join(root, "etc/verdict/verdict.env")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the settings: %v, %v", info, err)
	}
	got := command(t, "dpkg-deb", "--field", path, "Package", "Architecture", "Depends")
	if !strings.Contains(got, "Depends: adduser") {
		t.Errorf("fields:\n%s", got)
	}
	for _, name := range []string{
		"usr/share/man/man1/verdict.1", "usr/share/bash-completion/completions/verdict",
		"usr/share/zsh/vendor-completions/_verdict", "usr/share/fish/vendor_completions.d/verdict.fish",
		"usr/share/verdict/schemas/policy.schema.json", "usr/share/verdict/deploy/prometheus/verdict.rules.yml",
	} {
		if len(read(t, root, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	unit := filepath.Join(root, "usr/lib/systemd/system/verdict.service")
	command(t, "systemd-analyze", "verify", "--recursive-errors=no", "--root="+root, unit)
	// The exposure is from 0 to 100; above the threshold the command fails.
	command(t, "systemd-analyze", "security", "--offline=yes", "--threshold=15", unit)

	if os.Getenv("VERDICT_LONG") == "" {
		return
	}
	clean := filepath.Join(t.TempDir(), "debian")
	command(t, "debootstrap", "--variant=minbase", "--include=adduser", "stable", clean)
	inside := func(args ...string) string { return command(t, "chroot", append([]string{clean}, args...)...) }
	if err := os.WriteFile(filepath.Join(clean, "verdict.deb"), read(t, path), 0o644); err != nil {
		t.Fatal(err)
	}
	inside("dpkg", "-i", "/verdict.deb")
	inside("getent", "passwd", "verdict")
	decides(t, "chroot", clean, "/usr/bin/verdict")
	settings := filepath.Join(clean, "etc/verdict/verdict.env")
	if err := os.WriteFile(settings, []byte("VERDICT_ADDR=127.0.0.1:9090\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	inside("dpkg", "-i", "--force-confold", "/verdict.deb")
	if got := string(read(t, settings)); got != "VERDICT_ADDR=127.0.0.1:9090\n" {
		t.Errorf("an upgrade changed the settings: %s", got)
	}
	if err := os.MkdirAll(filepath.Join(clean, "var/lib/verdict"), 0o700); err != nil {
		t.Fatal(err)
	}
	inside("dpkg", "--purge", "verdict")
	if _, err := os.Stat(filepath.Join(clean, "etc/verdict")); !os.IsNotExist(err) {
		t.Errorf("purging left the settings: %v", err)
	}
	if _, err := os.Stat(filepath.Join(clean, "var/lib/verdict")); err != nil {
		t.Errorf("purging removed the data: %v", err)
	}
}
