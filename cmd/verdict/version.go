package main

import (
	"fmt"
	"runtime"

	"verdict/api"
	"verdict/internal/engine"
)

const versionHelp = `Print the version of the binary and of the engine. The engine's version
changes whenever any decision could change.
`

func printVersion(c *command) int {
	if code, done := c.parse(c.flags(versionHelp), 0); done {
		return code
	}
	return c.print(fmt.Appendf(nil, "verdict %s (commit %s), engine %s, %s %s/%s\n",
		api.Version, commit, engine.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
}
