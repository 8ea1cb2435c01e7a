package main

import (
	"crypto/rand"
	"fmt"

	"verdict/internal/masterkey"
)

const keysHelp = `Manage the master key, with which applicants' data is encrypted.

  verdict keys create FILE    write a new master key, for -master-key file:FILE

Give the same file to every node, keep it secret, and back it up apart from the
database: without it nothing that is stored about applicants can be read. A file
that exists is never replaced.
`

func keysCommand(c *command) int {
	return c.subcommand(keysHelp, verbs{"create": keysCreate})
}

func keysCreate(c *command) int {
	words, code, done := c.arguments(c.flags(keysHelp), "FILE")
	if done {
		return code
	}
	if _, err := masterkey.Create(words[0], rand.Reader); err != nil {
		return c.usage("%v", err)
	}
	return c.print(fmt.Appendf(nil, "created %s\n", words[0]))
}
