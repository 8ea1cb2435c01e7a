// Command jsonv2 measures how encoding/json/v2 reads a large evaluate request. It is
// built with GOEXPERIMENT=jsonv2, which also changes encoding/json, so it cannot be part
// of the program that measures the other libraries.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"verdict/bench/evaluate"
	"verdict/bench/measure"
)

func main() {
	only := flag.String("only", "", "the contestant to measure")
	budget := flag.Duration("budget", 200*time.Millisecond, "CPU time of the measurement")
	agree := flag.Bool("agree", false, "only check that it reads the same as our reader")
	flag.Parse()
	if *agree {
		if err := evaluate.Agree(); err != nil {
			fmt.Fprintln(os.Stderr, "jsonv2:", err)
			os.Exit(1)
		}
		return
	}
	if err := measure.Only(os.Stdout, evaluate.Contestants(nil), *only, *budget, ""); err != nil {
		fmt.Fprintln(os.Stderr, "jsonv2:", err)
		os.Exit(1)
	}
}
