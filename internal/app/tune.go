package app

import (
	"os"
	"runtime/debug"
)

// heapGrowth is how far the heap may grow beyond what is live, in percent,
// before it is collected. What is live is a few megabytes, so that Go's own
// setting would collect many times a second; this costs memory under load and
// nothing when idle.
const heapGrowth = 400

// tune sets what the Go runtime cannot know by itself, unless the operator has
// set it in Go's own way.
func tune() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
