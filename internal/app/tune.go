package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// heapGrowth is how far the heap may grow beyond what is live, in percent,
	// before it is collected. What is live is a few megabytes, so Go's own
	// setting would collect many times a second; this one costs memory under load
	// and nothing when idle.
	heapGrowth = 400
	// besidesBodies is the memory of everything but the bodies of requests.
	besidesBodies = 128 << 20
)

// tune sets what the Go runtime cannot know by itself, unless the operator has
// set it in Go's own way. The limit on memory keeps heapGrowth from making five
// times as much of many large bodies.
func tune(bodies int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bodies + besidesBodies)
	}
}

// processors returns how many processors there are to compute on, and has Go use
// one more than that: while long computations take all of them, the operating
// system then still gives a share of each to the thread that waits for network
// input. Go itself would look for input only every ten milliseconds.
var processors = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n + 1)
	}
	return n
})
