package app

import (
	"bytes"
	"fmt"
	"strings"
)

const configurationHead = `# Configuration

Every setting is a flag of ` + "`verdict serve`" + ` and an environment variable; a flag
takes precedence over a variable, a variable over the default, and an empty
variable counts as not set. The other commands read the same variables.
This page is generated from the table that the program reads
(` + "`go test ./internal/app -update`" + `).

Durations are written like ` + "`500ms`, `20s`, `2m`" + `; sizes like ` + "`512KiB`, `1MiB`" + `;
rates like ` + "`500/s burst 1000`" + ` or ` + "`60/m`" + ` (windows s, m and h; the burst is the
window's allowance unless given).
`

// Markdown returns the reference page of the configuration.
func Markdown() []byte {
	var b bytes.Buffer
	b.WriteString(configurationHead)
	group := ""
	for _, k := range settings {
		if k.group != group {
			group = k.group
			fmt.Fprintf(&b, "\n## %s\n\n| flag | variable | default | meaning |\n|---|---|---|---|\n", group)
		}
		def := "none"
		if k.def != "" {
			def = "`" + k.def + "`"
		}
		fmt.Fprintf(&b, "| `-%s` | `%s` | %s | %s |\n", k.name, strings.Join(k.variables(), "`, `"), def, k.meaning)
	}
	return b.Bytes()
}
