package signal

import "flag"

var update = flag.Bool("update", false, "rewrite the golden files from what the code does now")
