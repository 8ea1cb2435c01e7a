package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/wire"
)

// fenced returns the code blocks of a page in one language.
func fenced(t *testing.T, page, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(m[1]))
	}
	return blocks
}

// TestCommandsHaveNoComments checks that readers can paste the commands of the pages into zsh too, which by default
// reads "#" on its command line as an argument and not as a comment.
func TestCommandsHaveNoComments(t *testing.T) {
	t.Parallel()
	pages := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../clients/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no page is like %s: %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	comment := regexp.MustCompile(`(^|\s)#`)
	for _, page := range pages {
		for _, block := range fenced(t, page, "sh") {
			for line := range strings.Lines(block) {
				if comment.MatchString(line) {
					t.Errorf("%s: a command has a comment: put it into the text before the block:\n%s", page, line)
				}
			}
		}
	}
}

// TestLocalRunIsIgnoredByGit checks that git ignores every file that "make run" leaves in a clone. Two of them are
// secret keys, and a commit of all files must not publish them.
func TestLocalRunIsIgnoredByGit(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bin/verdict", "verdict.db", "verdict.db-shm", "verdict.db-wal",
		"verdict.db.master-key", "verdict.db.log-key", "verdict.db.log-key.signed-1",
		"verdict.db.log-key.signed-1.lock"} {
		cmd := exec.CommandContext(t.Context(), "git", "check-ignore", "--no-index", "--quiet", name)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s is not ignored: %v\n%s", name, err, out)
		}
	}
}

// TestPolicyPage checks that the policy on the reference page is valid.
func TestPolicyPage(t *testing.T) {
	t.Parallel()
	blocks := fenced(t, "../../docs/POLICY.md", "json")
	if len(blocks) == 0 {
		t.Fatal("the page shows no policy")
	}
	for _, document := range blocks {
		if _, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()}); err != nil {
			t.Errorf("%v\n%s", err, document)
		}
	}
}

// TestPolicyPageCases runs the test cases of the reference page and compares the
// output with the page. draft.json is the policy that the page describes.
func TestPolicyPageCases(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/POLICY.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "cases"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"draft.json": bytes.Replace(engine.DefaultPolicyJSON(),
		[]byte(`"field": "age", "value": 21`), []byte(`"field": "age", "value": 23`), 1)}
	named := regexp.MustCompile("(?s)`(cases/[a-z_]+\\.txtar)`:\n\n```txtar\n(.*?)```")
	for _, m := range named.FindAllSubmatch(text, -1) {
		files[string(m[1])] = m[2]
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	blocks := fenced(t, "../../docs/POLICY.md", "console")
	if len(files) != 4 || len(blocks) != 2 {
		t.Fatalf("the page shows %d cases and %d outputs", len(files)-1, len(blocks))
	}
	for _, block := range blocks {
		line, want, _ := strings.Cut(strings.TrimPrefix(block, "$ verdict "), "\n")
		args := strings.Fields(line)
		for i, arg := range args {
			if arg == "cases" || arg == "draft.json" {
				args[i] = filepath.Join(folder, arg)
			}
		}
		var out, errs bytes.Buffer
		code := run(args, strings.NewReader(""), &out, &errs)
		got := strings.ReplaceAll(out.String(), filepath.ToSlash(folder)+"/", "")
		if got != want || errs.Len() > 0 || (code == exitOK) != strings.Contains(want, " 0 failed") {
			t.Errorf("verdict %s exits with %d and prints\n%s%s\nwant\n%s", line, code, got, &errs, want)
		}
	}
}

// TestDecideAndTestAgree checks that a test case sees the decision that "verdict
// decide" prints.
func TestDecideAndTestAgree(t *testing.T) {
	t.Parallel()
	for _, asOf := range []string{"", "2026-11-15T09:30:00+05:30"} {
		args := []string{"decide", "-sample", "-compact"}
		var at time.Time
		if asOf != "" {
			args = append(args, "-as-of", asOf)
			var err error
			if at, err = time.Parse(time.RFC3339, asOf); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != exitOK {
			t.Fatal(errs.String())
		}
		body, err := wire.Parse(sampleApplication)
		if err != nil {
			t.Fatal(err)
		}
		got, err := policytest.NewSubject(engine.DefaultPolicy()).Answer(body, at)
		if err != nil || string(got)+"\n" != out.String() {
			t.Errorf("%v\n%s\nwant\n%s", err, got, &out)
		}
	}
}

// TestReadme checks that the README's application gets the answer that the
// README shows.
func TestReadme(t *testing.T) {
	t.Parallel()
	var application string
	for _, block := range fenced(t, "../../README.md", "sh") {
		if m := regexp.MustCompile(`(?s)<<'JSON'\n(.*?)\nJSON`).FindStringSubmatch(block); m != nil {
			application = m[1]
		}
	}
	answers := fenced(t, "../../README.md", "json")
	if application == "" || len(answers) == 0 {
		t.Fatal("the README shows no application, or no answer")
	}
	var out, errs bytes.Buffer
	if code := run([]string{"decide", "-input", "-"}, strings.NewReader(application), &out, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var got, want any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(answers[0]), &want); err != nil {
		t.Fatal(err)
	}
	shown(t, "", want, got)
}

// TestSignupCommands runs the signup commands of the README and of the greeting
// with prepared answers. If the answer has a key, the commands must store it in
// KEY. If the answer is a refusal, the commands must fail. They must print each
// answer once, and need no device file, because not every shell may open one.
func TestSignupCommands(t *testing.T) {
	t.Parallel()
	commands := map[string]string{"welcome": string(greetingText("http://127.0.0.1:8080"))}
	for _, block := range fenced(t, "../../README.md", "sh") {
		if strings.Contains(block, "/api/signup") {
			commands["README"] = block
		}
	}
	bin := t.TempDir()
	if err := os.WriteFile(
		filepath.Join(bin, "curl"), []byte("#!/bin/sh\nprintf %s \"$ANSWER\"\n"), 0o755,
	); err != nil {
		t.Fatal(err)
	}
	signup := regexp.MustCompile(`(?s)ANSWER=\$\(.*?\$\{KEY:\?.*?\n`)
	for where, text := range commands {
		if strings.Contains(text, "/dev/") {
			t.Errorf("the commands of the %s use a device file", where)
		}
		for answer, want := range map[string]string{
			`{"api_key":"vk_sandbox_123","key":{"id":"key_1"}}`:                          "key:vk_sandbox_123",
			`{"code":"email_taken","detail":"somebody has signed up with this address"}`: "email_taken",
		} {
			command := exec.CommandContext(t.Context(), "sh", "-c", signup.FindString(text)+`echo "key:$KEY"`)
			command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "ANSWER="+answer)
			out, err := command.CombinedOutput()
			if !strings.Contains(string(out), want) || strings.Count(string(out), answer) != 1 {
				t.Errorf("%s, answered with %s, says %s", where, answer, out)
			}
			if refused := want == "email_taken"; refused == (err == nil) || refused == strings.Contains(string(out),
				"key:") {
				t.Errorf("%s, answered with %s, ends with %v and says %s", where, answer, err, out)
			}
		}
	}
	if len(commands) != 2 {
		t.Error("the README shows no signup")
	}
}

// shown checks that everything in want is in got. The README omits members and
// entries and shortens hashes.
func shown(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, member := range want {
			shown(t, at+"/"+name, member, object[name])
		}
	case []any:
		list, _ := got.([]any)
		for _, entry := range want {
			found := false
			for _, candidate := range list {
				found = found || contains(entry, candidate)
			}
			if !found {
				t.Errorf("%s: the answer has no %v", at, entry)
			}
		}
	default:
		if !contains(want, got) {
			t.Errorf("%s: the README says %v, the answer %v", at, want, got)
		}
	}
}

// contains reports whether got has everything that want shows.
func contains(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for name, member := range want {
			ok = ok && contains(member, object[name])
		}
		return ok
	case string:
		text, ok := got.(string)
		prefix, _, _ := strings.Cut(want, "…")
		return ok && strings.HasPrefix(text, prefix)
	default:
		return want == got
	}
}
