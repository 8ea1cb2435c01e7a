package main

import (
	"bytes"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
)

const fieldsHelp = `List every field a policy may name: type, unit, domain and meaning.

  verdict fields                     all of them
  verdict fields bureau_             those that start with bureau_
  verdict fields -format markdown    the reference page
  verdict fields -format json foir   for programs
`

func fields(c *command) int {
	fs := c.flags(fieldsHelp)
	format := fs.String("format", "text", "`form` of the list: text, markdown or json")
	words, code, done := c.anyArguments(fs, 1)
	if done {
		return code
	}
	prefix := strings.Join(words, "")
	var out bytes.Buffer
	var err error
	switch {
	case *format == "markdown" && prefix != "":
		return c.usage("the reference page lists all fields: -format markdown takes no prefix")
	case !anyField(prefix):
		return c.usage("no field starts with %q", prefix)
	case *format == "text":
		err = field.WriteText(&out, prefix)
	case *format == "markdown":
		err = field.WriteMarkdown(&out)
	case *format == "json":
		err = field.WriteJSON(&out, prefix)
	default:
		return c.usage("-format must be text, markdown or json")
	}
	if err != nil {
		return c.usage("%v", err)
	}
	return c.print(out.Bytes())
}

func anyField(prefix string) bool {
	all := field.Catalogue()
	for id := range rule.FieldID(all.Len()) {
		if strings.HasPrefix(all.Field(id).Name, prefix) {
			return true
		}
	}
	return false
}
