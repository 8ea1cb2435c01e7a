package main

import (
	"flag"
	"io"
	"strings"
)

// description is what a command accepts, as the command itself declares it.
type description struct {
	path  []string // such as "tenant", "user", "add"
	help  string
	verbs []string      // the subcommands, if there are any
	flags *flag.FlagSet // the flags, if there are no subcommands
}

// name returns the words of a command, or "" for verdict itself.
func (d description) name() string { return strings.Join(d.path, " ") }

// describeAll returns a description of every command and subcommand. It runs each of them in a mode in which a
// command only declares its flags. A separate list of flags could differ from the flags that the commands
// accept.
func describeAll() []description {
	var all []description
	for _, e := range commandTable() {
		all = append(all, describeEntry(e, nil)...)
	}
	return all
}

// describeEntry returns the description of the command or subcommand that the words
// name, and the descriptions of its subcommands.
func describeEntry(e entry, words []string) []description {
	d := description{path: append([]string{e.name}, words...)}
	e.run(&command{
		name: e.name, args: words, stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard,
		description: &d,
	})
	all := []description{d}
	for _, verb := range d.verbs {
		all = append(all, describeEntry(e, append(words[:len(words):len(words)], verb))...)
	}
	return all
}

// eachFlag calls f for each flag of a command, in the order of the names. value is the name of the flag's
// value, or "" for a flag without a value.
func (d description) eachFlag(f func(name, value, usage string)) {
	if d.flags == nil {
		return
	}
	d.flags.VisitAll(func(one *flag.Flag) {
		value, usage := flag.UnquoteUsage(one)
		f(one.Name, value, usage)
	})
}
