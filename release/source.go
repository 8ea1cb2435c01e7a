package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// source is the commit that is released.
type source struct {
	root    string // root folder of the repository, absolute
	version string // from api/VERSION
	commit  string // short hash
	at      time.Time
	notes   string // the part of the changelog about this version
	goroot  string // folder of the Go distribution that builds the binaries
}

// readSource reads the version, the commit and the other data of the release. The working tree must be clean:
// otherwise the release would claim to be a commit that it is not.
func readSource(ctx context.Context, root string) (source, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return source{}, err
	}
	s := source{root: root}
	version, err := os.ReadFile(filepath.Join(root, "api", "VERSION"))
	if err != nil {
		return source{}, err
	}
	s.version = strings.TrimSpace(string(version))
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(s.version) {
		return source{}, fmt.Errorf("api/VERSION is not a version: %q", s.version)
	}
	changed, err := s.command(ctx, nil, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return source{}, err
	}
	if changed != "" {
		return source{}, errors.New("the working tree has changes that are not committed")
	}
	if s.commit, err = s.command(ctx, nil, "git", "rev-parse", "--short=12", "HEAD"); err != nil {
		return source{}, err
	}
	seconds, err := s.command(ctx, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return source{}, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return source{}, fmt.Errorf("the commit's time: %w", err)
	}
	s.at = time.Unix(unix, 0).UTC()
	if s.goroot, err = s.command(ctx, nil, "go", "env", "GOROOT"); err != nil {
		return source{}, err
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return source{}, err
	}
	s.notes, err = notesOf(string(changelog), s.version)
	return s, err
}

// command runs a program in the root folder with additional variables and
// returns what it printed.
func (s source) command(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.root
	// A workspace or flags of the caller would change what is built.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	cmd.Env = append(cmd.Env, env...)
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failure.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// releaseNotes returns the text of NOTES.md: what Verdict is, how to check the files, where to begin, and the changes.
func (s source) releaseNotes() string {
	return fmt.Sprintf(`# Verdict %s, %s

Verdict makes credit decisions as a service: a lender sends an applicant's data and a credit bureau report, and gets a
graded, priced and explained decision.

To check the files that you have downloaded, run this command in their folder:

    sha256sum --ignore-missing -c SHA256SUMS

Each archive contains the documentation. Begin with "Two minutes to the first decision" in its README.md.
docs/INSTALL.md explains the other files of the release. docs/TUTORIAL.md goes from a CSV file to a live policy.

## Changes

%s`, s.version, s.at.Format("2 January 2006"), s.notes)
}

// notesOf returns the part of the changelog about a version, without its
// heading.
func notesOf(changelog, version string) (string, error) {
	_, rest, ok := strings.Cut(changelog, "\n## ["+version+"]")
	if !ok {
		return "", fmt.Errorf("CHANGELOG.md has nothing about version %s", version)
	}
	_, rest, _ = strings.Cut(rest, "\n")
	notes, _, _ := strings.Cut(rest, "\n## [")
	return strings.TrimSpace(notes) + "\n", nil
}
