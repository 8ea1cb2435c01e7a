package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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
	// The command rates the exposure from 0 to 100, and fails if it is above the threshold.
	command(t, "systemd-analyze", "security", "--offline=yes", "--threshold=15", unit)

	if os.Getenv("VERDICT_LONG") == "" {
		return
	}
	clean := filepath.Join(t.TempDir(), "debian")
	command(t, "debootstrap", "--variant=minbase", "--include=adduser", "stable", clean)
	debianLives(t, clean, path)
}

// debianLives installs an older version of the package in a Debian root, upgrades it, runs the service, and removes and
// purges the package.
func debianLives(t *testing.T, clean, path string) {
	t.Helper()
	inside := func(args ...string) string { return command(t, "chroot", append([]string{clean}, args...)...) }
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(clean, name), content, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(clean, name))
		return err == nil
	}
	write("verdict.deb", read(t, path))
	write("older.deb", read(t, olderPackage(t, path)))
	inside("dpkg", "-i", "/older.deb")
	inside("getent", "passwd", "verdict")

	// The operator changes the settings. The older package had another file, so dpkg would ask which one to keep.
	port := freePort(t)
	settings := strings.Replace(string(read(t, clean, settingsFile)), "127.0.0.1:8080", "127.0.0.1:"+port, 1)
	write(settingsFile, []byte(settings))
	inside("dpkg", "-i", "--force-confold", "/verdict.deb")
	wanted := strings.TrimSpace(command(t, "dpkg-deb", "--field", path, "Version"))
	if got := inside("dpkg-query", "--show", "--showformat=${Version} ${Status}", "verdict"); got != wanted+
		" install ok installed" {
		t.Errorf("after the upgrade: %s", got)
	}
	if got := string(read(t, clean, settingsFile)); got != settings || !strings.Contains(got, port) {
		t.Errorf("an upgrade changed the settings: %s", got)
	}
	if info, err := os.Stat(filepath.Join(clean, settingsFile)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the settings after an upgrade: %v, %v", info, err)
	}
	decides(t, "chroot", clean, "/usr/bin/verdict")
	unitRuns(t, clean, "http://127.0.0.1:"+port)

	inside("dpkg", "--remove", "verdict")
	if exists("usr/bin/verdict") || !exists(settingsFile) || !exists("var/lib/verdict/verdict.db") {
		t.Errorf("after removing: binary %t, settings %t, data %t", exists("usr/bin/verdict"), exists(settingsFile),
			exists("var/lib/verdict/verdict.db"))
	}
	inside("dpkg", "-i", "/verdict.deb")
	if got := string(read(t, clean, settingsFile)); got != settings {
		t.Errorf("a new installation changed the settings: %s", got)
	}
	inside("dpkg", "--purge", "verdict")
	if exists("etc/verdict") || !exists("var/lib/verdict/verdict.db") {
		t.Errorf("after purging: settings %t, data %t", exists("etc/verdict"), exists("var/lib/verdict/verdict.db"))
	}
}

// olderPackage returns the package as a lower version, with other settings.
func olderPackage(t *testing.T, path string) string {
	t.Helper()
	folder, older := t.TempDir(), filepath.Join(t.TempDir(), "older.deb")
	command(t, "dpkg-deb", "--raw-extract", path, folder)
	for name, change := range map[string]func(string) string{
		"DEBIAN/control": func(text string) string {
			return regexp.MustCompile(`(?m)^Version: .*$`).ReplaceAllString(text, "Version: 0.0.1-1")
		},
		settingsFile: func(text string) string { return text + "# older\n" },
	} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(change(string(read(t, file)))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, "dpkg-deb", "--root-owner-group", "-Znone", "--build", folder, older)
	return older
}

// unitRuns starts the command of the unit in a Debian root: as its user, with its settings, and in its state folder. It
// asks the service for a decision. It is not systemd that starts the command, so the restrictions of the unit do not
// apply; systemd-analyze checks those.
func unitRuns(t *testing.T, clean, url string) {
	t.Helper()
	unit := map[string]string{}
	for line := range strings.Lines(string(read(t, clean, "usr/lib/systemd/system/verdict.service"))) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			unit[name] = value
		}
	}
	owner := strings.Split(command(t, "chroot", clean, "getent", "passwd", unit["User"]), ":")
	user, err := strconv.ParseUint(owner[2], 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	group, err := strconv.ParseUint(owner[3], 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	mode, err := strconv.ParseUint(unit["StateDirectoryMode"], 8, 32)
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(clean, "var/lib", unit["StateDirectory"])
	if err := os.Mkdir(state, os.FileMode(mode)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(state, int(user), int(group)); err != nil {
		t.Fatal(err)
	}
	var env []string
	for line := range strings.Lines(string(read(t, clean, unit["EnvironmentFile"]))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			env = append(env, line)
		}
	}
	start := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), args[0], args[1:]...)
		cmd.Env, cmd.Dir = env, unit["WorkingDirectory"]
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Chroot: clean, Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(group)},
		}
		return cmd
	}
	service := start(strings.Fields(unit["ExecStart"])...)
	var logs strings.Builder
	service.Stderr = &logs
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	ready := func() bool { return start("/usr/bin/verdict", "health", "-ready").Run() == nil }
	for begun := time.Now(); !ready(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			_ = service.Process.Kill() // the test has failed already
			_ = service.Wait()
			t.Fatalf("the service is not ready after two minutes\n%s", logs.String())
		}
	}
	decision := post(t, url+"/v1/decisions", signUp(t, url), oneApplication)
	if decision["decision_hash"] == nil {
		t.Errorf("decision %v", decision)
	}
	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := service.Wait(); err != nil {
		t.Errorf("the service did not stop cleanly: %v\n%s", err, logs.String())
	}
}
