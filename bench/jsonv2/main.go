// Command jsonv2 measures encoding/json/v2 at reading a large evaluate
// request. It is built with GOEXPERIMENT=jsonv2, which changes encoding/json
// itself, so that it cannot be part of the program that measures the others.
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
	agree := flag.Bool("agree", false, "only see that it reads what we read")
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
