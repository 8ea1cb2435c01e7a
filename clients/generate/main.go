// Command generate writes the typed parts of the clients from the API
// description: for Python the types of all documents and a method for each
// operation, for Go the methods.
//
//	go run ./generate
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	api := flag.String("api", "../api/openapi.yaml", "the API description")
	out := flag.String("out", ".", "folder of the clients")
	flag.Parse()
	if err := generate(*api, *out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate writes the generated files of the clients.
func generate(api, out string) error {
	text, err := os.ReadFile(api)
	if err != nil {
		return err
	}
	document, err := parse(text)
	if err != nil {
		return err
	}
	types, err := document.types()
	if err != nil {
		return err
	}
	operations, err := document.operations()
	if err != nil {
		return err
	}
	methods, err := document.goOperations()
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"python/verdict/types.py": types, "python/verdict/operations.py": operations, "go/operations.gen.go": methods,
	} {
		if err := os.WriteFile(filepath.Join(out, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
