package main

import (
	"verdict/internal/field"
)

const fieldsHelp = `List every field a policy may name: type, unit, domain and meaning.

  verdict fields                     all of them
  verdict fields bureau_             those that start with bureau_
  verdict fields -format markdown    the reference page
`

func fields(c *command) int {
	fs := c.flags(fieldsHelp)
	format := fs.String("format", "text", "`form` of the list: text, markdown or json")
	if code, done := c.parse(fs, 1); done {
		return code
	}
	var err error
	switch *format {
	case "text":
		err = field.WriteText(c.stdout, fs.Arg(0))
	case "markdown":
		err = field.WriteMarkdown(c.stdout)
	case "json":
		err = field.WriteJSON(c.stdout, fs.Arg(0))
	default:
		return c.usage("-format must be text, markdown or json")
	}
	if err != nil {
		return c.usage("%v", err)
	}
	return exitOK
}
