package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// HeapGrowth is the GC percentage: how far the heap may grow beyond the
	// live data before a collection. Live data is only a few megabytes, so Go's
	// default would collect many times a second. This value costs memory under
	// load, and no memory when the service is idle.
	HeapGrowth = 400
	// otherMemory is the memory of the Go runtime for everything except the bodies of requests, in bytes. The
	// process needs about 64 MiB that the runtime does not count: the program itself and the pages of SQLite. With the
	// default of -max-reading, about 128 MiB then remain below 768 MiB for garbage that appears during a collection.
	otherMemory = 64 << 20
)

// tune configures the garbage collector, unless the operator has set Go's own
// variables. The memory limit prevents HeapGrowth from multiplying the memory
// of many large bodies by five.
func tune(bodies int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(HeapGrowth)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bodies + otherMemory)
	}
}

// processors returns the number of processors, and sets GOMAXPROCS to one more unless
// the operator has set it. If long computations use all processors, the operating
// system then still gives time to the thread that waits for network input. Go itself
// would check for input only every ten milliseconds.
var processors = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n + 1)
	}
	return n
})
