// Command verdict serves credit decisions and contains the operator's commands
// for the service.
package main

import (
	"fmt"
	"io"
	"os"
)

// commit is the source revision of the binary, set by the linker.
var commit = "unknown"

// The exit codes, which the usage text documents.
const (
	exitOK      = 0
	exitRefused = 1 // the request is invalid or was refused
	exitUsage   = 2 // the command line is invalid, or a file or the database cannot be read or written
	// exitUndecided means that a guarantee is neither proved nor refuted, or that rows of a file were not decided.
	exitUndecided = 3
	// exitWarnings means that "doctor" found warnings and no errors.
	exitWarnings = 3
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs a command and returns its exit code. Tests call run without starting
// a process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &command{name: "help", stdin: stdin, stdout: stdout, stderr: stderr}
	if len(args) == 0 {
		_, _ = fmt.Fprint(stderr, usageText())
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 {
			return run(append(args[1:len(args):len(args)], "-h"), stdin, stdout, stderr)
		}
		return c.print([]byte(usageText()))
	case "-version", "--version":
		return run([]string{"version"}, stdin, stdout, stderr)
	}
	var names []string
	for _, e := range commandTable() {
		names = append(names, e.name)
		if e.name == args[0] {
			c.name, c.args = e.name, args[1:]
			return e.run(c)
		}
	}
	_, _ = fmt.Fprintf(stderr, "verdict: there is no command %q%s; \"verdict help\" lists the commands\n", args[0],
		likelyWord(args[0], names))
	return exitUsage
}
