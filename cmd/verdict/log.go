package main

import (
	"crypto/rand"
	"fmt"

	"verdict/internal/logkey"
)

const logHelp = `Manage the log of decisions.

  verdict log create-key FILE    write a new secret key with which the log is signed, for -log-key

Give the same file to every node, keep it secret, and back it up apart from the
database. A file that exists is never replaced.
`

func logCommand(c *command) int {
	return c.subcommand(logHelp, verbs{"create-key": logCreateKey})
}

func logCreateKey(c *command) int {
	words, code, done := c.arguments(c.flags(logHelp), "FILE")
	if done {
		return code
	}
	if _, err := logkey.Create(words[0], rand.Reader); err != nil {
		return c.usage("%v", err)
	}
	return c.print(fmt.Appendf(nil, "created %s\n", words[0]))
}
