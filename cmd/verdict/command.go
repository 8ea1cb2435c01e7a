package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

// command is one invocation: its arguments and its streams.
type command struct {
	name           string
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// flags makes the command's flag set with its own help text.
func (c *command) flags(help string) *flag.FlagSet {
	fs := flag.NewFlagSet("verdict "+c.name, flag.ContinueOnError)
	fs.SetOutput(c.stderr)
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "%s\n", help)
		fs.PrintDefaults()
	}
	return fs
}

// parse reads the flags; done tells that there is nothing left to do.
func (c *command) parse(fs *flag.FlagSet, maxArgs int) (code int, done bool) {
	switch err := fs.Parse(c.args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK, true
	case err != nil:
		return exitUsage, true
	case fs.NArg() > maxArgs:
		return c.usage("unexpected argument %q", fs.Arg(maxArgs)), true
	}
	return exitOK, false
}

// usage reports a mistake on the command line.
func (c *command) usage(format string, args ...any) int {
	fmt.Fprintf(c.stderr, "verdict %s: %s\n", c.name, fmt.Sprintf(format, args...))
	return exitUsage
}

// refused reports a wrong policy or application, with all its faults.
func (c *command) refused(what string, err error) int {
	fmt.Fprintf(c.stderr, "verdict %s: %s: %v\n", c.name, what, err)
	return exitRefused
}

// maxFile bounds what is read from a file or from standard input.
const maxFile = 8 << 20

// read reads a whole file, or standard input for "-".
func (c *command) read(name string) ([]byte, error) {
	in := c.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("read %s: larger than %d MiB", name, maxFile>>20)
	}
	return data, nil
}

// document reads and parses a JSON file; a wrong one has been reported when
// ok is false.
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

// policy reads the named policy file, or the default policy for "".
func (c *command) policy(name string) (p *engine.Policy, code int, ok bool) {
	if name == "" {
		return engine.DefaultPolicy(), exitOK, true
	}
	v, code, ok := c.document(name)
	if !ok {
		return nil, code, false
	}
	p, err := engine.ReadPolicy(v, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		return nil, c.refused(name, err), false
	}
	return p, exitOK, true
}
