package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe-core finds accessibility problems of a page. Only tests use it. It is
// downloaded from the npm registry at this version, must have this checksum,
// and is never committed.
const (
	axeVersion = "4.14.0"
	axeAddress = "https://registry.npmjs.org/axe-core/-/axe-core-" + axeVersion + ".tgz"
	axeSHA512  = "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
	axeFile    = "package/axe.min.js"
	maxPackage = 16 << 20
)

// Axe returns the source of axe-core. It reads the package in ".tools" in the
// repository's folder, and downloads the package if it is missing.
func Axe(t *testing.T) string {
	t.Helper()
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(module), ".tools", "axe-core-"+axeVersion+".tgz")
	archive, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if archive, err = fetch(t.Context(), axeAddress); err == nil {
			err = keep(path, archive)
		}
	}
	if err != nil {
		t.Fatalf("axe-core is needed once from the npm registry: %v", err)
	}
	program, err := unpack(archive)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return program
}

// moduleRoot returns the folder with go.mod, at or above the test's folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no go.mod above the test")
		}
		dir = above
	}
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // the body is only read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxPackage))
}

// keep writes the package atomically, because two tests may write it
// concurrently.
func keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "axe-core-*.part")
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	if err = errors.Join(err, part.Close()); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return os.Rename(part.Name(), path)
}

// unpack checks the checksum of the package and returns the source of axe-core
// in it.
func unpack(archive []byte) (string, error) {
	if sum := sha512.Sum512(archive); base64.StdEncoding.EncodeToString(sum[:]) != axeSHA512 {
		return "", errors.New("it is not the package that was chosen: its checksum differs")
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("look for %s: %w", axeFile, err)
		}
		if header.Name == axeFile {
			program, err := io.ReadAll(io.LimitReader(files, maxPackage))
			return string(program), err
		}
	}
}

// axeTimeout is the timeout for checking a page. A large page takes seconds of the processor, which may be busy.
const axeTimeout = 5 * time.Minute

// finding is a rule that the page violates, with some of the elements that
// violate it.
type finding struct {
	ID, Impact, Help string
	Nodes            []string
}

// askAxe returns the violations that axe-core rates as serious or critical. It
// applies the rules that axe-core enables by default, which include those of
// best practice.
const askAxe = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 4).map(
		n => n.html.slice(0, 160) + "  " + (n.any[0]?.message ?? ""))})))`

// accessible checks the page with axe-core.
func (t *Tab) accessible(axe string, look Look) {
	t.Helper()
	var there bool
	if t.Ask(`typeof window.axe === "object"`, &there); !there {
		t.Ask(axe+"\n;true", &there)
	}
	var found []finding
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.ctx, axeTimeout)
	defer cancel()
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	if err := chromedp.Run(ctx, chromedp.Evaluate(askAxe, &found, await)); err != nil {
		t.Fatalf("run axe-core at %s (%s): %v", t.At(), look, err)
	}
	t.checking += time.Since(begun)
	for _, f := range found {
		t.Errorf("%s (%s): %s: %s: %s\n    %s", t.At(), look, f.Impact, f.ID, f.Help, strings.Join(f.Nodes, "\n    "))
	}
}
