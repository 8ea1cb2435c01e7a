// Command build writes verify.html, the page with which an examiner checks a capsule in a
// browser. Run it in the root of the repository.
package main

import (
	"context"
	"fmt"
	"os"

	"verdict/internal/verifypage"
)

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "build verify.html:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: %s FILE", os.Args[0])
	}
	page, err := verifypage.Build(context.Background(), ".")
	if err != nil {
		return err
	}
	return os.WriteFile(os.Args[1], page, 0o644) //nolint:gosec // a public file
}
