package clients

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestInstalled installs each client in a new project, without the network, as a user does, and runs the snippet of
// README.md with it against a service.
func TestInstalled(t *testing.T) {
	t.Parallel()
	service := serve(t)
	key := signUp(t, service)
	for language, project := range map[string]func(*testing.T, string) string{
		"python": pythonProject, "ts": typeScriptProject, "go": goProject,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			snippet := snippetOf(t, language)
			for from, to := range map[string]string{"http://127.0.0.1:8080": service, "vk_sandbox_…": key} {
				if !strings.Contains(snippet, from) {
					t.Fatalf("the snippet has no %s:\n%s", from, snippet)
				}
				snippet = strings.ReplaceAll(snippet, from, to)
			}
			out := project(t, snippet)
			if !regexp.MustCompile(`(?m)^(APPROVED|REFERRED|DECLINED)\b`).MatchString(out) {
				t.Errorf("the snippet prints\n%s", out)
			}
		})
	}
}

// snippetOf returns the first block of README.md in a language.
func snippetOf(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("README.md has no snippet in %s", language)
	}
	return string(found[1])
}

// signUp makes a tenant, and returns the key of its sandbox.
func signUp(t *testing.T, service string) string {
	t.Helper()
	response, err := http.Post(service+"/api/signup", "application/json",
		strings.NewReader(`{"email":"installed@example.in","org_name":"Acme","password":"a long password"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // the body is only read
	var signup struct {
		Key string `json:"api_key"`
	}
	if err := json.NewDecoder(response.Body).Decode(&signup); err != nil || signup.Key == "" {
		t.Fatalf("%s, %v", response.Status, err)
	}
	return signup.Key
}

// pythonProject installs the package with pip and runs the snippet. The snippet prints the status itself.
func pythonProject(t *testing.T, snippet string) string {
	t.Helper()
	// pip writes into the folder that it builds.
	source, project := filepath.Join(t.TempDir(), "python"), t.TempDir()
	if err := os.CopyFS(source, os.DirFS("python")); err != nil {
		t.Fatal(err)
	}
	const python = "/usr/bin/python3" // the distribution's, which has setuptools and wheel
	run(t, ".", nil, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps",
		"--disable-pip-version-check", "--root-user-action=ignore", "--target",
		filepath.Join(project, "installed"), source)
	writeFile(t, filepath.Join(project, "main.py"), snippet)
	variables := []string{"PYTHONPATH=" + filepath.Join(project, "installed")}
	typed := append(variables, "MYPYPATH="+filepath.Join(project, "installed"))
	run(t, project, typed, "mypy", "--strict", "--cache-dir", t.TempDir(), "main.py")
	return string(run(t, project, variables, python, "main.py"))
}

// typeScriptProject builds the package with tsc, packs and installs it with npm, and runs the snippet.
func typeScriptProject(t *testing.T, snippet string) string {
	t.Helper()
	modules, err := filepath.Abs(packages)
	if err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join(modules, ".bin", "tsc")
	source, project := filepath.Join(t.TempDir(), "typescript"), t.TempDir()
	if err := os.CopyFS(source, os.DirFS("typescript")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(source, "node_modules")); err != nil {
		t.Fatal(err)
	}
	run(t, source, nil, tsc)
	run(t, source, nil, "npm", "pack", "--silent", "--pack-destination", project)
	packed, err := filepath.Glob(filepath.Join(project, "verdict-client-*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatalf("npm pack wrote %v, %v", packed, err)
	}
	// The dependencies come from the folder of the tests, because npm must not ask its registry.
	writeFile(t, filepath.Join(project, "package.json"), `{"type":"module"}`)
	run(t, project, nil, "npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", "--ignore-scripts",
		packed[0], filepath.Join(modules, "openapi-fetch"), filepath.Join(modules, "openapi-typescript-helpers"))
	writeFile(t, filepath.Join(project, "main.ts"), snippet+"console.log(decision.status);\n")
	run(t, project, nil, tsc, "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target",
		"es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable", "main.ts")
	return string(run(t, project, nil, "node", "main.js"))
}

// goProject makes a module that requires the module of the clients, and runs the snippet in its main function.
func goProject(t *testing.T, snippet string) string {
	t.Helper()
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	imports, statements, found := strings.Cut(strings.TrimPrefix(snippet, "import (\n"), "\n)\n")
	if !found {
		t.Fatalf("the snippet has no imports:\n%s", snippet)
	}
	writeFile(t, filepath.Join(project, "main.go"), "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n"+imports+
		"\n)\n\nfunc main() {\nctx := context.Background()\n"+statements+
		"\nif err != nil {\npanic(err)\n}\nfmt.Println(decision.Status)\n}\n")
	// A module without these requirements would need the network to complete its go.mod.
	requirements, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module := regexp.MustCompile(`(?m)^(module|tool) .*\n`).ReplaceAllString(string(requirements), "")
	writeFile(t, filepath.Join(project, "go.mod"), "module example.com/lender\n"+module)
	copyFile(t, "go.sum", filepath.Join(project, "go.sum"))
	offline := []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off"}
	run(t, project, offline, "go", "mod", "edit", "-replace=verdict/clients="+folder, "-require=verdict/clients@v0.0.0")
	run(t, project, offline, "go", "vet", ".")
	return string(run(t, project, offline, "go", "run", "."))
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
