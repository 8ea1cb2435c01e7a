package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPolicyFolder keeps the policy of a service as a file: pull, plan, edit,
// push, activate.
func TestPolicyFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(dir, "verdict.db"))
	signed := ask(t, p.url+"/api/signup", "",
		`{"email":"code@example.in","org_name":"Code","password":"correct horse battery"}`)
	key, _ := signed["api_key"].(string)
	keyFile, folder := filepath.Join(dir, "key"), filepath.Join(dir, "policies")
	if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	policy := func(want int, args ...string) string {
		t.Helper()
		args = append([]string{"policy"}, args...)
		if args[1] != "activate" {
			args = append(args, "-folder", folder)
		}
		var out, complaints bytes.Buffer
		code := run(append(args, "-service", p.url, "-api-key", keyFile), nil, &out, &complaints)
		if code != want {
			t.Fatalf("%v: exit %d, want %d: %s%s", args, code, want, &out, &complaints)
		}
		return out.String() + complaints.String()
	}
	file := filepath.Join(folder, "default.json")

	for _, verb := range []string{"plan", "push"} {
		if out := policy(exitUsage, verb); !strings.Contains(out, folder+" does not exist; name the folder with "+
			`-folder, or fill it with "verdict policy pull"`) {
			t.Errorf("%s without a folder: %s", verb, out)
		}
	}
	policy(exitOK, "pull")
	pulled, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(pulled, []byte(`"checksum"`)) || !bytes.Contains(pulled, []byte(`"KO_AGE_RANGE"`)) {
		t.Errorf("the file is not the plain document:\n%s", pulled)
	}
	if out := policy(exitOK, "plan", "-exit-code"); out != "default: same as the active version 1 in sandbox\n" {
		t.Errorf("an unchanged file: %s", out)
	}
	if out := policy(exitOK, "pull"); !regexp.MustCompile(`: version 1 in sandbox \(pol_\w+\)\n$`).MatchString(out) {
		t.Errorf("pull: %s", out)
	}
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, pulled) {
		t.Errorf("a second pull wrote another file: %v", err)
	}

	edited := bytes.Replace(pulled, []byte(`"value": 21`), []byte(`"value": 23`), 1)
	if bytes.Equal(edited, pulled) {
		t.Fatal("the document has no minimum age of 21")
	}
	if err := os.WriteFile(file, edited, 0o644); err != nil {
		t.Fatal(err)
	}
	refused := policy(exitRefused, "pull")
	if !strings.Contains(refused, "default.json differs from the active version 1 in sandbox\n") ||
		!strings.Contains(refused, "-force overwrites") {
		t.Errorf("pull over an edited file: %s", refused)
	}
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, edited) {
		t.Errorf("a refused pull changed the file: %v", err)
	}
	policy(exitOK, "pull", "-force")
	if forced, err := os.ReadFile(file); err != nil || !bytes.Equal(forced, pulled) {
		t.Errorf("pull -force did not write the active version: %v", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, pulled); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, compact.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	policy(exitOK, "pull") // another layout is no difference
	if err := os.WriteFile(file, edited, 0o644); err != nil {
		t.Fatal(err)
	}
	plan := policy(exitDiffers, "plan", "-exit-code")
	for _, want := range []string{
		"default: differs from the active version 1 in sandbox (pol_", "changed knockouts KO_AGE_RANGE: age ",
		"kinds of applicant are treated differently", "age: at least 21 and less than 23",
		"\nno new findings\n",
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan lacks %q:\n%s", want, plan)
		}
	}
	wantInOrder(t, plan, "changed knockouts", "kinds of applicant are treated differently", "\nno new findings\n",
		"age: at least 21 and less than 23")
	if all := policy(exitOK, "plan", "-all"); strings.Contains(all, "-all lists them") || len(all) < len(plan) {
		t.Errorf("plan -all:\n%s", all)
	}
	policy(exitOK, "plan") // a difference is no failure without -exit-code

	pushed := policy(exitOK, "push")
	// The active version has all findings of the draft too, so none of them is new.
	drafted := regexp.MustCompile(`^default: draft (pol_\w+) in sandbox, version 3, ` +
		"new findings: 0 errors, 0 warnings, 0 notes\n$")
	found := drafted.FindStringSubmatch(pushed)
	if found == nil {
		t.Fatalf("push: %s", pushed)
	}
	if out := policy(exitOK, "push"); out != "default: already stored as the draft "+found[1]+" in sandbox\n" {
		t.Errorf("a second push: %s", out)
	}
	active := found[1] + " is active in sandbox: version 3 of default\n"
	if out := policy(exitOK, "activate", found[1], "-note", "older"); out != active {
		t.Errorf("activate: %s", out)
	}
	if out := policy(exitOK, "plan", "-exit-code"); out != "default: same as the active version 3 in sandbox\n" {
		t.Errorf("after the activation: %s", out)
	}
	unknown := policy(exitRefused, "activate", "pol_00000000000000000000000000")
	if !strings.Contains(unknown, "looked for it in sandbox, because the key is of that environment") {
		t.Errorf("an unknown version: %s", unknown)
	}

	// Nothing is inherited: a section or a guarantee that the file leaves out is not in the new version. A changed
	// guarantee alone is a difference. A guarantee that does not hold is an error of the plan.
	written := func(change func(map[string]any)) {
		t.Helper()
		var members map[string]any
		if err := json.Unmarshal(edited, &members); err != nil {
			t.Fatal(err)
		}
		change(members)
		content, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	guarantee := func(age int) map[string]any {
		return map[string]any{
			"id": "G_YOUNG", "text": "Nobody below the age gets an offer",
			"when":  map[string]any{"op": "lt", "field": "age", "value": age},
			"never": map[string]any{"op": "ne", "field": "status", "value": "DECLINED"},
		}
	}
	written(func(m map[string]any) { m["guarantees"] = []any{guarantee(30)} })
	if out := policy(exitRefused, "plan"); !strings.Contains(out, "guarantee_violated") {
		t.Errorf("a guarantee that does not hold: %s", out)
	}
	written(func(m map[string]any) { m["guarantees"] = []any{guarantee(21)} })
	if out := policy(exitDiffers, "plan", "-exit-code"); !strings.Contains(out, "proved G_YOUNG") {
		t.Errorf("a guarantee alone: %s", out)
	}
	activate := func(note, findings string) {
		t.Helper()
		pushed := policy(exitOK, "push")
		found := regexp.MustCompile(`^default: draft (pol_\w+) in sandbox, `).FindStringSubmatch(pushed)
		if found == nil {
			t.Fatalf("push: %s", pushed)
		}
		if !strings.Contains(pushed, ", new findings: "+findings) {
			t.Errorf("%s: push does not print the new findings %q:\n%s", note, findings, pushed)
		}
		if out := policy(exitOK, "push"); out != "default: already stored as the draft "+found[1]+" in sandbox\n" {
			t.Errorf("a second push: %s", out)
		}
		policy(exitOK, "activate", found[1], "-note", note)
		out := policy(exitOK, "plan", "-exit-code")
		if !strings.HasPrefix(out, "default: same as the active version ") {
			t.Errorf("%s: after the activation: %s", note, out)
		}
	}
	activate("guarantee", "0 errors, 0 warnings, 0 notes\n")
	written(func(m map[string]any) {
		m["charges"] = []any{map[string]any{"id": "insurance", "to": "third_party", "kind": "percent", "amount": 1.25}}
	})
	if out := policy(exitRefused, "plan"); !strings.Contains(out, "guarantees_removed") {
		t.Errorf("a guarantee that was removed: %s", out)
	}
	activate("charges", "1 error, 0 warnings, 0 notes\n\nERRORS\n  /guarantees: guarantees_removed (new)\n")
	written(func(map[string]any) {})
	activate("no charges", "0 errors, 0 warnings, 0 notes\n")
	decision := ask(t, p.url+"/v1/decisions", key,
		`{"applicant":{"age":40,"monthly_income":85000},"bureau_report":{"score":780}}`)
	if offer, _ := decision["offer"].(map[string]any); offer == nil || offer["charges"] != nil {
		t.Errorf("the charges were inherited: %v", decision["offer"])
	}

	for name, content := range map[string]string{
		"other.json":  string(edited),      // the policy_key belongs to another file
		"broken.json": `{"policy_key": 1}`, // not a policy
	} {
		wrong := filepath.Join(folder, name)
		if err := os.WriteFile(wrong, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		policy(exitRefused, "plan")
		policy(exitRefused, "push")
		if err := os.Remove(wrong); err != nil {
			t.Fatal(err)
		}
	}
}
