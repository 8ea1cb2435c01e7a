package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// pipelines returns the scripts of the examples for pipelines: those that check a
// change, and those that push it after the merge. Each script runs in a shell of its own.
func pipelines(t *testing.T) (check, push map[string][]string) {
	t.Helper()
	var github struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	type job struct {
		Image  string
		Before []string `yaml:"before_script"`
		Script []string
	}
	var gitlab struct{ Default, Plan, Push job }
	for name, into := range map[string]any{"github.yml": &github, "gitlab.yml": &gitlab} {
		if err := yaml.Unmarshal([]byte(pageText(t, "../../deploy/ci/"+name)), into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if gitlab.Default.Image == "" {
		t.Error("the jobs for GitLab have no image")
	}
	onGitHub := func(job string) []string {
		var lines []string
		for _, step := range github.Jobs[job].Steps {
			if step.Run != "" {
				lines = append(lines, step.Run)
			}
		}
		return lines
	}
	// GitLab runs all lines of a job in one shell, beginning with those of before_script.
	onGitLab := func(j job) []string {
		return []string{strings.Join(slices.Concat(gitlab.Default.Before, j.Script), "\n")}
	}
	check = map[string][]string{"GitHub": onGitHub("plan"), "GitLab": onGitLab(gitlab.Plan)}
	push = map[string][]string{"GitHub": onGitHub("push"), "GitLab": onGitLab(gitlab.Push)}
	return check, push
}

// releaseFolder returns a folder with the archive of a release that the examples for pipelines install, and its
// checksums. Its program runs the command of this test.
func releaseFolder(t *testing.T) (folder, archive string) {
	t.Helper()
	found := regexp.MustCompile(`VERDICT_ARCHIVE: (\S+)`).FindStringSubmatch(pageText(t, "../../deploy/ci/github.yml"))
	if found == nil {
		t.Fatal("the example for GitHub names no archive")
	}
	program, err := exec.LookPath("verdict")
	if err != nil {
		t.Fatal(err)
	}
	folder, archive = t.TempDir(), found[1]
	if err := os.Mkdir(filepath.Join(folder, archive), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho run >>\"$INSTALLED\"\nexec '" + program + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(folder, archive, "verdict"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec",
		`tar -czf "$1.tar.gz" "$1"; rm -r "$1"; sha256sum "$1.tar.gz" >SHA256SUMS; `+
			`echo "$(printf %064d 0)  another.deb" >>SHA256SUMS`, "sh", archive)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder, archive
}

// withoutTestCases returns scripts without the lines that run test cases.
func withoutTestCases(scripts []string) (rest []string) {
	testCases := regexp.MustCompile(`(?m)^.*verdict test .*$`)
	for _, script := range scripts {
		rest = append(rest, testCases.ReplaceAllString(script, "true"))
	}
	return rest
}

// TestPipelines runs the scripts of the examples for pipelines against a service. They install the program from a
// release first. A good change must pass. A change that fails a test case or has an error must stop the scripts, and
// so must a release whose checksum is wrong.
func TestPipelines(t *testing.T) {
	t.Parallel()
	check, push := pipelines(t)
	dir := t.TempDir()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(dir, "verdict.db"))
	key, _ := ask(t, p.url+"/api/signup", "",
		`{"email":"ci@example.in","org_name":"Pipelines","password":"correct horse battery"}`)["api_key"].(string)
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	release, archive := releaseFolder(t)
	installed := filepath.Join(dir, "installed")
	perform := func(scripts []string) (string, error) {
		var all bytes.Buffer
		temporary := t.TempDir()
		added := filepath.Join(temporary, "path") // a runner of GitHub prepends these folders to PATH for the next step
		path := os.Getenv("PATH")
		for _, script := range scripts {
			if folders, err := os.ReadFile(added); err == nil {
				path = strings.TrimSpace(string(folders)) + ":" + os.Getenv("PATH")
			}
			cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &all, &all
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "VERDICT_URL="+p.url, "VERDICT_KEY="+key,
				"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "GITHUB_PATH="+added, "PATH="+path,
				"RUNNER_TEMP="+temporary, "VERDICT_RELEASE=file://"+release, "VERDICT_ARCHIVE="+archive,
				"INSTALLED="+installed)
			if err := cmd.Run(); err != nil {
				return all.String(), err
			}
		}
		return all.String(), nil
	}
	if out, err := perform([]string{`verdict policy pull -service "$VERDICT_URL" -folder policies`}); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	policy := pageText(t, filepath.Join(dir, "policies", "default.json"))
	older := strings.Replace(policy, `"value": 21`, `"value": 23`, 1)
	write("cases/default/young.json",
		`{"application":{"applicant":{"age":20},"bureau_report":{"score":780}},"expect":{"status":"DECLINED"}}`)
	for name := range check {
		if len(check[name]) == 0 || len(push[name]) == 0 {
			t.Fatalf("%s: the scripts are %v and %v", name, check[name], push[name])
		}
		_ = os.Remove(installed) // it does not exist before the first example
		write("policies/default.json", older)
		if out, err := perform(check[name]); err != nil || !strings.Contains(out, "changed knockouts KO_AGE_RANGE") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if out, err := perform(push[name]); err != nil || !strings.Contains(out, "default: ") {
			t.Errorf("%s: push: %v\n%s", name, err, out)
		}
		write("policies/default.json", strings.Replace(policy, `"value": 21`, `"value": 18`, 1))
		if out, err := perform(check[name]); err == nil {
			t.Errorf("%s: a policy that fails its test case passes:\n%s", name, out)
		}
		if runs := strings.Count(pageText(t, installed), "run"); runs < 3 {
			t.Errorf("%s: the installed program ran %d times", name, runs)
		}
		write("policies/default.json", strings.Replace(policy, `"knockouts"`, `"knock_outs"`, 1))
		if out, err := perform(withoutTestCases(check[name])); err == nil {
			t.Errorf("%s: a policy that is not valid passes:\n%s", name, out)
		}
	}
	sums := filepath.Join(release, "SHA256SUMS")
	if err := os.WriteFile(sums, []byte(strings.Repeat("0", 64)+"  "+archive+".tar.gz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name := range push {
		write("policies/default.json", older)
		if out, err := perform(push[name]); err == nil {
			t.Errorf("%s: an archive with another checksum is installed:\n%s", name, out)
		}
	}
	if summary := pageText(t, filepath.Join(dir, "summary")); !strings.Contains(summary, "KO_AGE_RANGE") {
		t.Errorf("the summary of the pull request is\n%s", summary)
	}
}
