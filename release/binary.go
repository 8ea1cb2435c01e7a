package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// binary is a built binary with the modules that are linked into it.
type binary struct {
	content []byte
	name    string // verdict, or verdict.exe
	golang  string // version of Go, such as go1.26.8
	modules []module
}

// module is a module of a binary, with the folder of its source.
type module struct{ path, version, sum, folder string }

// build builds the binary of a target. The flags keep paths and times of the
// machine out of it.
func (m *maker) build(ctx context.Context, t target) (binary, error) {
	m.say("%s: build", t)
	b := binary{name: "verdict"}
	if t.os == "windows" {
		b.name += ".exe"
	}
	folder, err := os.MkdirTemp("", "verdict-release-")
	if err != nil {
		return binary{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	path := filepath.Join(folder, b.name)
	if err := m.compile(ctx, t, path); err != nil {
		return binary{}, err
	}
	if b.content, err = os.ReadFile(path); err != nil {
		return binary{}, err
	}
	return m.describe(ctx, b)
}

// compile builds the binary of a target into a file.
func (m *maker) compile(ctx context.Context, t target, path string) error {
	_, err := m.source.command(ctx, []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch}, "go", "build",
		"-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", "-s -w -X main.commit="+m.source.commit,
		"-o", path, "./cmd/verdict")
	return err
}

// describe reads the modules that the linker wrote into the binary, and asks Go
// where their sources are.
func (m *maker) describe(ctx context.Context, b binary) (binary, error) {
	info, err := buildinfo.Read(bytes.NewReader(b.content))
	if err != nil {
		return binary{}, err
	}
	b.golang = info.GoVersion
	var names []string
	for _, d := range info.Deps {
		if d.Replace != nil {
			return binary{}, fmt.Errorf("module %s is replaced by %s; a release links only published modules",
				d.Path, d.Replace.Path)
		}
		b.modules = append(b.modules, module{path: d.Path, version: d.Version, sum: d.Sum})
		names = append(names, d.Path)
	}
	listed, err := m.source.command(ctx, nil, "go", append([]string{"list", "-m", "-json"}, names...)...)
	if err != nil {
		return binary{}, err
	}
	for decoder := json.NewDecoder(strings.NewReader(listed)); ; {
		var found struct{ Path, Version, Dir string }
		if err := decoder.Decode(&found); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return binary{}, err
		}
		i := slices.IndexFunc(b.modules, func(m module) bool { return m.path == found.Path })
		if i >= 0 && b.modules[i].version == found.Version {
			b.modules[i].folder = found.Dir
		}
	}
	for _, module := range b.modules {
		if module.folder == "" {
			return binary{}, fmt.Errorf("the source of module %s %s was not found", module.path, module.version)
		}
	}
	return b, nil
}
