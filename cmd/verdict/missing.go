package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// plainFile returns message with a plainer error text if a file is missing, or if its path is a folder: the new text
// says what was expected. message is unchanged for other errors. err is the error that message contains.
func (c *command) plainFile(message string, err error) string {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return message
	}
	var said string
	switch name, given := c.expected(failed.Path); {
	case errors.Is(failed, fs.ErrNotExist):
		said = missing(failed.Path, name, given)
	case errors.Is(failed, syscall.EISDIR):
		said = failed.Path + ": is a folder, but a file is needed" + name
	default:
		return message
	}
	for _, words := range []string{"read " + failed.Path + ": " + failed.Error(), failed.Error()} {
		if strings.Contains(message, words) {
			return strings.Replace(message, words, said, 1)
		}
	}
	return message
}

// missing describes a file or a folder that does not exist. The argument expected says what the flag expects, or is ""
// without a flag; given is set if the command line names the path. Otherwise the path is that of a file to be written.
func missing(path, expected string, given bool) string {
	folder := filepath.Dir(path)
	_, err := os.Stat(folder)
	switch noFolder := errors.Is(err, fs.ErrNotExist); {
	case noFolder && !given:
		return fmt.Sprintf("the folder %s does not exist; create it, or choose another folder", folder)
	case noFolder:
		return fmt.Sprintf("%s: there is no such file, because the folder %s does not exist; check the path%s", path,
			folder, expected)
	case expected == "":
		return path + ": there is no such file or folder; check the path"
	}
	return path + ": there is no such file; check the path" + expected
}

// expected returns the flag that names a path, with what it expects, such as " (-csv: file of rows)", or "" if no flag
// does. given reports whether an argument names the path.
func (c *command) expected(path string) (text string, given bool) {
	for i, argument := range c.args {
		if argument != path && !strings.HasSuffix(argument, "="+path) {
			continue
		}
		if !strings.HasPrefix(argument, "-") && i > 0 {
			argument = c.args[i-1]
		}
		name, _, _ := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if c.parsed == nil || !strings.HasPrefix(argument, "-") || c.parsed.Lookup(name) == nil {
			return "", true
		}
		what, usage := flag.UnquoteUsage(c.parsed.Lookup(name))
		if what == "" { // a flag without a value, before the path
			return "", true
		}
		usage, _, _ = strings.Cut(usage, ";")
		return " (-" + name + ": " + usage + ")", true
	}
	return "", false
}
