package app

import (
	"bytes"
	"fmt"
	"strings"
)

const configurationHead = `# Configuration

Every setting is a flag of ` + "`verdict serve`" + ` and an environment variable. The
flag takes precedence over the variable, and the variable over the default. An
empty variable counts as not set. The other commands read the variables of the
settings that they use. This page is generated from the table that the program
reads (` + "`go test ./internal/app -update`" + `).

- A duration is written like ` + "`500ms`, `20s` or `2m`" + `, a size like ` + "`512KiB` or `1MiB`" + `.
- A rate is written like ` + "`500/s burst 1000` or `60/m`" + `. It allows that many
  requests a second (s), minute (m) or hour (h) on average. The burst is how many
  requests may arrive together; without it, the burst is the number before the slash.
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
