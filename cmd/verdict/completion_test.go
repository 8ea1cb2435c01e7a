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
)

// helpOf returns what "verdict WORDS… -h" prints.
func helpOf(t *testing.T, words []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append(words[:len(words):len(words)], "-h"), strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("verdict %s -h: %d, %s", strings.Join(words, " "), code, &errs)
	}
	return out.String()
}

var flagLine = regexp.MustCompile(`(?m)^  -([a-z][a-z0-9-]*)`)

// TestManualAndCompletionsAreComplete compares the manual pages and the
// completions with what each command says about itself.
func TestManualAndCompletionsAreComplete(t *testing.T) {
	t.Parallel()
	pages, all := manualPages(), describeAll()
	bash, zsh, fish := bashCompletion(all), zshCompletion(all), fishCompletion(all)
	usage, flags := usageText(), 0
	for _, d := range all {
		page := pages["verdict-"+d.path[0]+".1"]
		if d.help == "" || !strings.Contains(usage, "verdict "+d.path[0]) ||
			!strings.Contains(pages["verdict.1"], d.path[0]) {
			t.Errorf("%s has no help, or is not in the usage", d.name())
		}
		if len(d.path) > 1 && !strings.Contains(usage, d.path[len(d.path)-1]) {
			t.Errorf("the usage does not name %s", d.name())
		}
		if len(d.verbs) > 0 {
			continue
		}
		for _, m := range flagLine.FindAllStringSubmatch(helpOf(t, d.path), -1) {
			name := m[1]
			flags++
			if !strings.Contains(page, `\fB`+roff("-"+name)+`\fR`) {
				t.Errorf("the manual page of %s lacks -%s", d.path[0], name)
			}
			for shell, line := range map[string]string{
				"bash": lineWith(bash, "'flags:"+d.name()+"') "), "zsh": zshFlags(zsh, d.name()),
			} {
				if !regexp.MustCompile(`[' ]-` + name + `[' ]`).MatchString(line) {
					t.Errorf("the completion for %s lacks -%s of %s", shell, name, d.name())
				}
			}
			if !strings.Contains(fish, "'__verdict_at flags "+d.name()+"' -o "+name+" ") {
				t.Errorf("the completion for fish lacks -%s of %s", name, d.name())
			}
		}
	}
	if len(all) < 40 || flags < 150 || len(pages) != len(commandTable())+1 {
		t.Errorf("only %d commands, %d flags and %d pages were found", len(all), flags, len(pages))
	}
}

// TestOwnFlagsFirst checks that the help of commands with all settings of the service lists their own flags first.
func TestOwnFlagsFirst(t *testing.T) {
	t.Parallel()
	for name, own := range map[string][]string{
		"doctor": {"backup", "backup-age", "json", "timeout"}, "serve": {"welcome"},
	} {
		help := helpOf(t, []string{name})
		first, settings, _ := strings.Cut(help, "\nSettings of the service:\n")
		var got []string
		for _, m := range flagLine.FindAllStringSubmatch(first, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, own) || !strings.Contains(settings, "\n  -database-url ") ||
			!strings.Contains(settings, `(default 127.0.0.1:8080)`) {
			t.Errorf("verdict %s -h begins with %v, want %v:\n%s", name, got, own, help)
		}
	}
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

// zshFlags returns the line of a command in the table of flags.
func zshFlags(script, name string) string {
	_, flags, _ := strings.Cut(script, "  flags=(\n")
	return lineWith(flags, "    '"+name+"' '")
}

// TestBashCompletes asks bash for completions.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "verdict.bash")
	if err := os.WriteFile(script, []byte(bashCompletion(describeAll())), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"back":                      "backup backtest",
		"tenant ":                   "create invite key list plan show user",
		"tenant user ":              "add list password reset-code",
		"tenant user add -e":        "-email",
		"policy pu":                 "pull push",
		"serve -log-l":              "-log-level",
		"decide -sample -comp":      "-compact",
		"completion ":               "bash fish zsh",
		"list push reviewers a.csv": "",
	} {
		words := strings.Split("verdict "+line, " ")
		quoted := "'" + strings.Join(words, "' '") + "'"
		out, err := exec.CommandContext(t.Context(), "bash", "-c", `. "$0"
			COMP_WORDS=(`+quoted+`) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_verdict; echo "${COMPREPLY[*]}"`, script).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("verdict %s completes to %q, %v; want %q", line, got, err, want)
		}
	}
}

// TestOtherShellsComplete asks zsh and fish for completions. "make long" installs both
// shells.
func TestOtherShellsComplete(t *testing.T) {
	t.Parallel()
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs zsh and fish")
	}
	folder := t.TempDir()
	for name, script := range map[string]string{
		"verdict.fish": fishCompletion(describeAll()), "_verdict": zshCompletion(describeAll()),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "HOME="+folder)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	for line, want := range map[string]string{
		"verdict tenant us": "user", "verdict tenant user add -em": "-email", "verdict doc": "doctor",
	} {
		if got := ask("fish", "-c", "source verdict.fish; complete -C '"+line+"'"); !strings.HasPrefix(got, want) {
			t.Errorf("fish completes %q to %q", line, got)
		}
	}
	// compadd is replaced, because the completion system works only in a line that is edited.
	got := ask("zsh", "-fc", `compdef() { : }; compadd() { print -r -- $@ }; _files() { print files }
		. ./_verdict; words=(verdict tenant user ''); CURRENT=4; _verdict
		words=(verdict tenant user add -e); CURRENT=5; _verdict; words=(verdict check x); CURRENT=3; _verdict`)
	if !strings.HasPrefix(got, "-- add list password\n-- ") || !strings.Contains(got, " -email") ||
		!strings.HasSuffix(got, "\nfiles\n") {
		t.Errorf("zsh completes to %q", got)
	}
}

// TestManualPagesAreWritten checks that everybody can read the files of the pages.
func TestManualPagesAreWritten(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man1")
	var out, errs bytes.Buffer
	if code := run([]string{"man", folder}, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("%d, %s", code, &errs)
	}
	info, err := os.Stat(filepath.Join(folder, "verdict-serve.1"))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
	if strings.Contains(manualPages()["verdict-serve.1"], "\n.\n") || strings.Contains(commandTable()[0].name, " ") {
		t.Error("a page has an empty request")
	}
}

// TestReadmeNamesEveryCommand compares the README's table with the commands.
func TestReadmeNamesEveryCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range commandTable() {
		if !strings.Contains(string(text), "| `verdict "+e.name) {
			t.Errorf("the README's table has no verdict %s", e.name)
		}
	}
}
