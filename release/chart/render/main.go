// Command render prints the objects of the Helm chart as JSON. The test that runs them is in a package that does not
// link Helm.
//
//	go run ./chart/render FOLDER VALUES
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"verdict/release/chart"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

// run renders the chart in the first argument with the values in the second one, which is a JSON object.
func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: render FOLDER VALUES")
	}
	var values map[string]any
	if err := json.Unmarshal([]byte(args[1]), &values); err != nil {
		return err
	}
	objects, err := chart.Render(args[0], "verdict", values)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(objects)
}
