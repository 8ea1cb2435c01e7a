package engine

import "flag"

// UpdateGolden is the one -update flag of this package's tests. The tests in
// package engine and in package engine_test are one program, and a flag can be
// registered only once.
var UpdateGolden = flag.Bool("update", false, "rewrite the golden files from what the engine does now")
