package main

import (
	"strings"

	"verdict/api"
	"verdict/internal/reference"
)

var schemaHelp = `Print the JSON Schema of a document, so that an editor completes and checks it:

  verdict schema policy > policy.schema.json

Name the file in the settings of your editor. The documents are
` + strings.Join(reference.SchemaNames(), ", ") + `. The schema checks the form; "verdict check" also
analyses what a policy does.
`

func schemaCommand(c *command) int {
	words, code, done := c.arguments(c.flags(schemaHelp), "DOCUMENT")
	if done {
		return code
	}
	text, err := reference.Schema(api.OpenAPI, words[0])
	if err != nil {
		return c.usage("%v", err)
	}
	return c.print(append(text, '\n'))
}
