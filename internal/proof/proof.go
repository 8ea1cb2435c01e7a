// Package proof writes measured results into a document. Each long-running
// command owns one section and replaces it as a whole. So the document always has
// the latest output of the commands, and nobody edits a figure by hand.
package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"verdict/internal/filelock"
)

// Variable is the environment variable that names the document for tests, which
// cannot take a flag for it.
const Variable = "VERDICT_PROOF"

// Write replaces the text between "<!-- section -->" and "<!-- /section -->" in a document. If the document has no such
// section, Write appends it. It does nothing if path is "". Several processes may write concurrently.
func Write(path, section, markdown string) error {
	return Update(path, section, func(string) string { return markdown })
}

// Update writes the text that change returns, like Write. It calls change with the previous text of the section, or
// with "" if the document has no such section. So the commands of a run can write their results one after the other.
func Update(path, section string, change func(before string) string) (err error) {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // a document that everybody may read
	if err != nil {
		return fmt.Errorf("write proof of %s: %w", section, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	// Closing the file releases the lock.
	if err := filelock.Wait(file); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("write proof of %s: %w", section, err)
	}
	after, err := replace(before, section, change(text(before, section)))
	if err != nil {
		return fmt.Errorf("write proof of %s into %s: %w", section, path, err)
	}
	if err := os.WriteFile(path, after, 0o644); err != nil { //nolint:gosec // as above
		return fmt.Errorf("write proof of %s: %w", section, err)
	}
	return nil
}

// text returns the text of a section of a document, without spaces at its ends.
func text(document []byte, section string) string {
	_, rest, _ := strings.Cut(string(document), "<!-- "+section+" -->\n")
	inside, _, closed := strings.Cut(rest, "<!-- /"+section+" -->\n")
	if !closed {
		return ""
	}
	return strings.TrimSpace(inside)
}

// replace returns the document with the section replaced or appended.
func replace(document []byte, section, markdown string) ([]byte, error) {
	opening, closing := []byte("<!-- "+section+" -->\n"), []byte("<!-- /"+section+" -->\n")
	text := strings.TrimSpace(markdown) + "\n"
	head, rest, opened := bytes.Cut(document, opening)
	if !opened {
		var gap string
		if len(document) > 0 {
			gap = strings.Repeat("\n", 2-min(1, bytes.Count(document[len(document)-1:], []byte("\n"))))
		}
		return fmt.Appendf(nil, "%s%s%s%s%s", document, gap, opening, text, closing), nil
	}
	_, tail, closed := bytes.Cut(rest, closing)
	if !closed {
		return nil, fmt.Errorf("section %s is opened and not closed", section)
	}
	return fmt.Appendf(nil, "%s%s%s%s%s", head, opening, text, closing, tail), nil
}

// Origin returns the line above every table: the date, the commit, the machine,
// and the command that repeats the measurement.
func Origin(ctx context.Context, now time.Time, command string) string {
	return fmt.Sprintf("%s · commit %s · %d cores, %s %s/%s · `%s`\n",
		now.UTC().Format("2006-01-02 15:04 UTC"), commit(ctx), runtime.NumCPU(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, command)
}

// commit returns the commit of the working folder, with a plus sign if there
// are uncommitted changes.
func commit(ctx context.Context) string {
	output, err := exec.CommandContext(ctx, "git", "describe", "--always", "--abbrev=12", "--exclude=*",
		"--dirty=+").Output()
	if err != nil {
		return "unknown" // the working folder is not in a repository
	}
	return strings.TrimSpace(string(output))
}

// Table returns rows as a Markdown table. The first row is the heading.
func Table(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			out.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return out.String()
}
