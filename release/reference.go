package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// The folders of an archive for the files that accompany the binary.
const (
	manualFolder     = "man/man1/"
	completionFolder = "completions/"
	schemaFolder     = "schemas/"
)

// reference returns what the binary prints about itself: manual pages, shell
// completions and JSON Schemas. They are the same for all targets, so the binary
// of this machine writes them.
func (m *maker) reference(ctx context.Context) ([]file, error) {
	m.say("manual pages, completions, schemas")
	folder, err := os.MkdirTemp("", "verdict-reference-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	program := filepath.Join(folder, "verdict")
	if err := m.compile(ctx, target{runtime.GOOS, runtime.GOARCH}, program); err != nil {
		return nil, err
	}
	pages := filepath.Join(folder, "man1")
	if _, err := m.source.command(ctx, nil, program, "man", pages); err != nil {
		return nil, err
	}
	files, err := filesOf(pages)
	if err != nil {
		return nil, err
	}
	for i := range files {
		files[i].name = manualFolder + files[i].name
	}
	add := func(name string, args ...string) error {
		text, err := m.source.command(ctx, nil, program, args...)
		files = append(files, file{name: name, content: []byte(text + "\n"), mode: 0o644})
		return err
	}
	// Use a fixed order, because the archive has the files in this order, and two builds must give the
	// same bytes.
	for _, c := range []struct{ shell, name string }{
		{"bash", "verdict.bash"}, {"fish", "verdict.fish"}, {"zsh", "_verdict"},
	} {
		if err := add(completionFolder+c.name, "completion", c.shell); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"application", "policy", "scorecard", "tests"} {
		if err := add(schemaFolder+name+".schema.json", "schema", name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// kitFiles returns the folders of the repository that operators and developers need beside the binary: the
// documentation with the files to which it links, what is deployed around the service, and the clients without their
// tests and generators.
func (m *maker) kitFiles(ctx context.Context) ([]file, error) {
	var files []file
	for _, folder := range []string{"docs", "deploy"} {
		found, err := filesOf(filepath.Join(m.source.root, folder))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.name = folder + "/" + f.name
			files = append(files, f)
		}
	}
	// Ask Git for the names, because npm and Python leave other files in these folders.
	names, err := m.source.command(ctx, nil, "git", "ls-files", "clients")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(names+"\n"+strings.Join(linkedFiles, "\n"), "\n") {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "clients/testdata/") ||
			strings.HasPrefix(name, "clients/generate/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.source.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, content: content, mode: 0o644})
	}
	return files, nil
}

// linkedFiles are single files to which the pages of an archive link.
var linkedFiles = []string{
	"CONTRIBUTING.md", "SECURITY.md", "api/openapi.yaml", "bench/README.md", "internal/engine/default_policy.json",
}

// installedReference returns the files of reference at the places where a Debian system looks for them.
func installedReference(files []file) []file {
	places := map[string]string{
		completionFolder + "verdict.bash": "usr/share/bash-completion/completions/verdict",
		completionFolder + "_verdict":     "usr/share/zsh/vendor-completions/_verdict",
		completionFolder + "verdict.fish": "usr/share/fish/vendor_completions.d/verdict.fish",
	}
	var installed []file
	for _, f := range files {
		switch place, ok := places[f.name]; {
		case ok:
			f.name = place
		case strings.HasPrefix(f.name, manualFolder):
			f.name = "usr/share/" + f.name
		default:
			f.name = "usr/share/verdict/" + f.name
		}
		installed = append(installed, f)
	}
	return installed
}
