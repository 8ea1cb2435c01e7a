package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// command is one invocation, with its arguments and streams.
type command struct {
	name           string
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer

	existing bool // the database must exist; it is not created

	parsed *flag.FlagSet // the flags that parse has read, nil before
	own    []string      // names of the flags that the help lists before the settings of the service

	// If description is set, the command does not run. It only describes its flags and subcommands in it.
	description *description
}

// flags returns the command's flag set with its help text.
func (c *command) flags(help string) *flag.FlagSet {
	fs := flag.NewFlagSet("verdict "+c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the method parse reports errors on the right stream
	fs.Usage = func() { _, _ = fmt.Fprintf(fs.Output(), "%s\n", help) }
	if c.description != nil {
		c.description.help = help
	}
	return fs
}

// parse parses the flags. If done is true, the command has nothing left to do.
// Requested help is not an error and goes to standard output.
func (c *command) parse(fs *flag.FlagSet, maxArgs int) (code int, done bool) {
	if c.description != nil {
		c.description.flags = fs
		return exitOK, true
	}
	c.parsed = fs
	switch err := fs.Parse(c.args); {
	case errors.Is(err, flag.ErrHelp):
		var help bytes.Buffer
		fs.SetOutput(&help)
		fs.Usage()
		c.printFlags(fs)
		return c.print(help.Bytes()), true
	case err != nil:
		return c.usage("%v%s; \"verdict %s -h\" lists the flags", err, likelyFlag(fs, err), c.name), true
	case placeholderIn(fs) != "":
		return c.usage("%q is a placeholder; put the id or key that it stands for in its place",
			placeholderIn(fs)), true
	case fs.NArg() > maxArgs:
		return c.unexpected(fs.Arg(maxArgs), likelyFile(fs, fs.Arg(maxArgs))), true
	}
	return exitOK, false
}

// ownFirst makes the help list the flags that are declared so far before the flags that are declared later, which are
// the settings of the service.
func (c *command) ownFirst(fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) { c.own = append(c.own, f.Name) })
}

// printFlags prints the flags with their meanings and defaults.
func (c *command) printFlags(fs *flag.FlagSet) {
	if len(c.own) == 0 {
		fs.PrintDefaults()
		return
	}
	var own, settings flag.FlagSet
	fs.VisitAll(func(f *flag.Flag) {
		part := &settings
		if slices.Contains(c.own, f.Name) {
			part = &own
		}
		part.Var(f.Value, f.Name, f.Usage)
		part.Lookup(f.Name).DefValue = f.DefValue // a flag before -h may have changed the value
	})
	own.SetOutput(fs.Output())
	own.PrintDefaults()
	_, _ = fmt.Fprintf(fs.Output(), "\nSettings of the service:\n\n") // a failure is reported with the whole answer
	settings.SetOutput(fs.Output())
	settings.PrintDefaults()
}

// likelyFlag returns the end of the message about an unknown flag, with the flag that was probably meant. It returns ""
// for other errors, or if no flag is similar.
func likelyFlag(fs *flag.FlagSet, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	var known []string
	fs.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
	if near, _ := fault.Suggest(name, known, false); near != "" {
		return "; did you mean -" + near + "?"
	}
	return ""
}

// likelyWord returns the end of the message about an unknown command or subcommand, with the one that was probably
// meant, or "" if none is similar.
func likelyWord(word string, known []string) string {
	if near, _ := fault.Suggest(word, known, false); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// unexpected reports an argument that the command does not take, such as a file without the option that names it, and
// returns the exit code.
func (c *command) unexpected(argument, hint string) int {
	if isSecret(argument) {
		return c.usage("a key is never an argument, because others on the machine could see it; put an API key into %s",
			keyVariable)
	}
	return c.usage("unexpected argument %q%s; \"verdict %s -h\" shows how files and other values are given", argument,
		hint, c.name)
}

// likelyFile returns the part of the message about an unexpected argument that names the flag for such a file, or "" if
// the argument does not look like a file that the command reads.
func likelyFile(fs *flag.FlagSet, argument string) string {
	var names []string
	switch base := strings.TrimSuffix(strings.ToLower(argument), ".gz"); filepath.Ext(base) {
	case ".json":
		names = []string{"input", "policy"}
	case ".csv":
		names = []string{"csv"}
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, name := range names {
		if fs.Lookup(name) != nil && !given[name] {
			return "; did you mean -" + name + " " + argument + "?"
		}
	}
	return ""
}

// usage reports that the command line is invalid, or that a file or the database cannot be read or written. It returns
// the exit code.
func (c *command) usage(format string, args ...any) int {
	message := fmt.Sprintf(format, args...)
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			message = c.plainFile(message, err)
		}
	}
	_, _ = fmt.Fprintf(c.stderr, "verdict %s: %s\n", c.name, message)
	return exitUsage
}

// refused reports invalid input, such as a policy, with all its faults, and returns the exit code.
func (c *command) refused(what string, err error) int {
	_, _ = fmt.Fprintf(c.stderr, "verdict %s: %s: %s\n", c.name, what, explain(err))
	return exitRefused
}

// explain returns the text of an error. It states a single fault only once, and leaves out the code "required" before
// the words "is required".
func explain(err error) string {
	text, refused := err.Error(), fault.Of(err)
	if refused == nil {
		return text
	}
	if len(refused.Items) == 1 && strings.HasSuffix(refused.Detail, refused.Items[0].Detail) {
		alone := *refused
		alone.Items = nil
		if item := &refused.Items[0]; refused.Detail == item.Pointer+" "+item.Detail {
			alone.Detail = item.Pointer + ": " + item.Detail
		}
		text = strings.Replace(text, refused.Error(), alone.Error(), 1)
	}
	return strings.ReplaceAll(text, ": "+fault.CodeRequired+": is required", ": is required")
}

// print writes an answer to standard output. It reports a failed write, because
// on a full disk the output would otherwise be truncated without notice.
func (c *command) print(answer []byte) int {
	if _, err := c.stdout.Write(answer); err != nil {
		return c.usage("write the answer: %v", err)
	}
	return exitOK
}

// printJSON writes a JSON document. It indents the document unless compact is
// set.
func (c *command) printJSON(document []byte, compact bool) int {
	var out bytes.Buffer
	if compact {
		out.Write(document)
	} else if err := json.Indent(&out, document, "", "  "); err != nil {
		return c.refused("the answer", err)
	}
	out.WriteByte('\n')
	return c.print(out.Bytes())
}

// maxFile is the maximum number of bytes that the method read accepts.
const maxFile = 8 << 20

// standardInput is the file name that means standard input, or standard output for a
// file that is written.
const standardInput = "-"

// shownName returns the name of a file for a message.
func shownName(file string) string {
	if file == standardInput {
		return "standard input"
	}
	return file
}

// read reads a whole file of at most maxFile bytes, or standard input if name is "-".
func (c *command) read(name string) ([]byte, error) { return c.readUpTo(name, maxFile) }

// readUpTo does the same as read for a file of at most limit bytes.
func (c *command) readUpTo(name string, limit int64) ([]byte, error) {
	in := c.stdin
	if name != standardInput {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // the file is only read
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: larger than %d MiB", name, limit>>20)
	}
	return data, nil
}

// document reads and parses a JSON file. If ok is false, it has already
// reported the error, and code is the exit code.
func (c *command) document(name string) (v wire.Value, code int, ok bool) {
	data, err := c.read(name)
	if err != nil {
		return v, c.usage("%v", err), false
	}
	v, err = wire.Parse(data)
	if err != nil {
		return v, c.refused(name, err), false
	}
	return v, exitOK, true
}

// errScorecard is the refusal of a scorecard that is given as a policy. The faults that ReadPolicy finds do not say so.
var errScorecard = errors.New("this is a scorecard, not a policy: give a policy that contains it as \"scorecard\"")

// errApplication is the refusal of an application that is given as a policy.
var errApplication = errors.New(
	"this looks like an application, not a policy; \"verdict decide -input\" reads an application")

// policyWith reads the policy in a file, using the catalogue and the tables in src. If name is "", it returns the
// default policy. err is the refusal of a policy. If ok is false and err is nil, policyWith has already reported
// the error, and code is the exit code.
func (c *command) policyWith(name string, src engine.Sources) (p *engine.Policy, code int, ok bool, err error) {
	if name == "" {
		return engine.DefaultPolicy(), exitOK, true, nil
	}
	v, code, ok := c.document(name)
	if !ok {
		return nil, code, false, nil
	}
	p, err = engine.ReadPolicy(v, src)
	switch {
	case err == nil:
	case v.Has("factors"):
		return nil, c.refused(name, errScorecard), false, nil
	case v.Has("applicant") || v.Has("bureau_report") || v.Has("report"):
		return nil, c.refused(name, errApplication), false, nil
	}
	return p, exitOK, err == nil, err
}
