package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"verdict/api"
)

const manHelp = `Write the manual pages verdict.1, verdict-serve.1 and so on to a folder:

  verdict man /usr/local/share/man/man1

The archives contain them, and the Debian package installs them.
`

func manCommand(c *command) int {
	words, code, done := c.arguments(c.flags(manHelp), "FOLDER")
	if done {
		return code
	}
	if err := os.MkdirAll(words[0], 0o755); err != nil {
		return c.usage("%v", err)
	}
	for name, text := range manualPages() {
		path := filepath.Join(words[0], name)
		// The pages are for everybody, unlike the other files that verdict writes.
		err := replaceFile(path, []byte(text))
		if err == nil {
			err = os.Chmod(path, 0o644)
		}
		if err != nil {
			return c.usage("write %s: %v", path, err)
		}
	}
	return exitOK
}

// manualPages returns the manual page of verdict and of each of its commands,
// by file name. The pages have no date, so that the same source gives the same
// bytes.
func manualPages() map[string]string {
	pages := map[string]string{"verdict.1": overviewPage()}
	byName := map[string][]description{}
	for _, d := range describeAll() {
		byName[d.path[0]] = append(byName[d.path[0]], d)
	}
	for _, e := range commandTable() {
		pages["verdict-"+e.name+".1"] = commandPage(e, byName[e.name])
	}
	return pages
}

// manPage collects a manual page in the macros of man(7).
type manPage struct{ strings.Builder }

func newPage(name, summary string) *manPage {
	p := &manPage{}
	fmt.Fprintf(p, ".TH %s 1 \"\" %s Verdict\n", roffQuoted(strings.ToUpper(name)), roffQuoted("verdict "+api.Version))
	p.section("NAME")
	fmt.Fprintf(p, "%s \\- %s\n", roff(name), roff(summary))
	return p
}

func (p *manPage) section(title string) { fmt.Fprintf(p, ".SH %s\n", roffQuoted(title)) }

// prose writes a text of the help: lines that begin with spaces stay as they
// are, the others are filled.
func (p *manPage) prose(text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	literal := func(i int) bool { return i >= 0 && i < len(lines) && strings.HasPrefix(lines[i], " ") }
	for i, line := range lines {
		before, after := literal(i-1), literal(i+1)
		switch {
		case line != "":
			if literal(i) && !before && (i == 0 || lines[i-1] != "" || !literal(i-2)) {
				p.WriteString(".PP\n.nf\n")
			}
			p.WriteString(roff(line) + "\n")
			if literal(i) && !after && !(i+2 < len(lines) && lines[i+1] == "" && literal(i+2)) {
				p.WriteString(".fi\n")
			}
		case before && after: // the empty line is part of the example
			p.WriteString("\n")
		case !after:
			p.WriteString(".PP\n")
		}
	}
}

// flags writes the list of the flags of a command.
func (p *manPage) flags(d description) {
	d.eachFlag(func(name, value, usage string) {
		fmt.Fprintf(p, ".TP\n\\fB%s\\fR", roff("-"+name))
		if value != "" {
			fmt.Fprintf(p, " \\fI%s\\fR", roff(value))
		}
		p.WriteString("\n")
		if def := d.flags.Lookup(name).DefValue; def != "" && def != "false" && def != "0" {
			usage += " (default " + def + ")"
		}
		p.WriteString(roff(usage) + "\n")
	})
}

// overviewPage returns the page of verdict itself.
func overviewPage() string {
	p := newPage("verdict", "credit decisions as a service")
	p.section("SYNOPSIS")
	p.WriteString("\\fBverdict\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n")
	p.section("COMMANDS")
	for _, e := range commandTable() {
		for _, f := range e.forms {
			fmt.Fprintf(p, ".TP\n\\fBverdict %s\\fR %s\n%s.\n", roff(e.name), roff(f.words),
				roff(f.summary))
		}
	}
	p.section("NOTES")
	p.prose(usageNotes)
	p.section("SEE ALSO")
	var others []string
	for _, e := range commandTable() {
		others = append(others, `\fBverdict\-`+roff(e.name)+`\fR(1)`)
	}
	p.WriteString(strings.Join(others, ",\n") + "\n")
	return p.String()
}

// commandPage returns the page of a command. all has the descriptions of the command
// and of its subcommands.
func commandPage(e entry, all []description) string {
	p := newPage("verdict-"+e.name, e.forms[0].summary)
	p.section("SYNOPSIS")
	for i, f := range e.forms {
		if i > 0 {
			p.WriteString(".br\n")
		}
		fmt.Fprintf(p, "\\fBverdict %s\\fR %s\n", roff(e.name), roff(f.words))
	}
	p.section("DESCRIPTION")
	shown := map[string]bool{}
	for _, d := range all { // a subcommand may have a help text of its own
		if !shown[d.help] {
			shown[d.help] = true
			p.prose(d.help)
		}
	}
	for _, d := range all {
		if d.flags == nil {
			continue
		}
		title := "OPTIONS"
		if len(d.path) > 1 {
			title += " OF " + strings.ToUpper(d.name())
		}
		p.section(title)
		p.flags(d)
		p.WriteString(".TP\n\\fB\\-h\\fR\nPrint the help and exit.\n")
	}
	p.section("SEE ALSO")
	p.WriteString("\\fBverdict\\fR(1)\n")
	return p.String()
}

// roff escapes a line of text: the backslash, a control character at the beginning, and
// the hyphen. An unescaped hyphen would be printed as a dash that cannot be copied.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffQuoted returns text as one argument of a macro.
func roffQuoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
