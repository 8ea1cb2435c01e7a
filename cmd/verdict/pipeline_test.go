package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// pipelines returns the scripts of the examples for pipelines: those that check a
// change, and those that push it after the merge.
func pipelines(t *testing.T) (check, push map[string][]string) {
	t.Helper()
	var github struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	var gitlab map[string]struct{ Script []string }
	for name, into := range map[string]any{"github.yml": &github, "gitlab.yml": &gitlab} {
		content := []byte(pageText(t, "../../deploy/ci/"+name))
		if name == "gitlab.yml" { // the variables have another form than the jobs
			_, jobs, _ := strings.Cut(string(content), "\nplan:")
			content = []byte("plan:" + jobs)
		}
		if err := yaml.Unmarshal(content, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	scripts := func(job string) []string {
		var lines []string
		for _, step := range github.Jobs[job].Steps {
			if step.Run != "" {
				lines = append(lines, step.Run)
			}
		}
		return lines
	}
	check = map[string][]string{"GitHub": scripts("plan"), "GitLab": gitlab["plan"].Script}
	push = map[string][]string{"GitHub": scripts("push"), "GitLab": gitlab["push"].Script}
	return check, push
}

// TestPipelines runs the scripts of the examples for pipelines against a
// service: a good change passes, and one that fails a test case, or has an error,
// stops them.
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
	perform := func(scripts []string) (string, error) {
		var all bytes.Buffer
		for _, script := range scripts {
			cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &all, &all
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "VERDICT_URL="+p.url, "VERDICT_KEY="+key,
				"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
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
		if len(check[name]) < 2 || len(push[name]) != 1 {
			t.Fatalf("%s: the scripts are %v and %v", name, check[name], push[name])
		}
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
		write("policies/default.json", strings.Replace(policy, `"knockouts"`, `"knock_outs"`, 1))
		if out, err := perform(check[name][1:]); err == nil {
			t.Errorf("%s: a policy that is not valid passes:\n%s", name, out)
		}
	}
	if summary := pageText(t, filepath.Join(dir, "summary")); !strings.Contains(summary, "KO_AGE_RANGE") {
		t.Errorf("the summary of the pull request is\n%s", summary)
	}
}
