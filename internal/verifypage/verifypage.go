// Package verifypage builds verify.html: one file that opens from disk in any browser and
// checks capsules, without a server and without a network.
//
// The page contains the same Go code as "verdict verify", compiled to WebAssembly. Its content
// security policy admits nothing but its own script and style, so the page cannot send what it
// reads to anybody.
package verifypage

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"verdict/api"
)

//go:embed page/page.html
var document string

//go:embed page/page.css
var style string

//go:embed page/page.js
var script string

// Build returns the page. root is the folder of the module. It runs the go command. The
// same source and the same version of Go give the same bytes.
func Build(ctx context.Context, root string) ([]byte, error) {
	program, err := compile(ctx, root)
	if err != nil {
		return nil, err
	}
	support, err := supportScript(ctx, root)
	if err != nil {
		return nil, err
	}
	return assemble(program, support)
}

// compile returns the program as WebAssembly.
func compile(ctx context.Context, root string) (program []byte, err error) {
	folder, err := os.MkdirTemp("", "verify-page")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "verify.wasm")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=",
		"-o", file, "./internal/verifypage/wasm")
	build.Dir = root
	// Flags of the caller, such as those of the race detector, do not apply to WebAssembly.
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile to WebAssembly: %w\n%s", err, output)
	}
	return os.ReadFile(file)
}

// supportScript returns the script with which Go starts WebAssembly in a browser. It
// belongs to the version of Go that compiled the program.
func supportScript(ctx context.Context, root string) (string, error) {
	ask := exec.CommandContext(ctx, "go", "env", "GOROOT")
	ask.Dir = root
	output, err := ask.Output()
	if err != nil {
		return "", fmt.Errorf("find Go: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(output)), "lib", "wasm", "wasm_exec.js"))
	return string(text), err
}

// assemble puts the parts into one file.
func assemble(program []byte, support string) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	code := "\n" + support + "\n" + script
	if strings.Contains(strings.ToLower(code), "</script") || strings.Contains(strings.ToLower(style), "</style") {
		return nil, errors.New("a part of the page contains the end of its own element")
	}
	page := strings.NewReplacer(
		"{{policy}}", fmt.Sprintf("default-src 'none'; script-src '%s' 'wasm-unsafe-eval'; style-src '%s'; "+
			"base-uri 'none'; form-action 'none'", digest(code), digest(style)),
		"{{version}}", api.Version,
		"{{style}}", style,
		"{{script}}", code,
		"{{program}}", base64.StdEncoding.EncodeToString(packed.Bytes()),
	).Replace(document)
	return []byte(page), nil
}

// digest returns the hash of an inline script or style as a content security policy
// names it.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
