package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maker makes the files of a release.
type maker struct {
	source   source
	out      string
	progress io.Writer

	begun time.Time
	about []file // manual pages, completions and schemas
	kit   []file // documentation, and the files with which the service is deployed
}

// make writes all files for the targets to a temporary folder, and renames that folder at the end. So the folder of
// the release is either complete or absent.
func (m *maker) make(ctx context.Context, targets []target) error {
	m.begun = time.Now()
	out, err := filepath.Abs(m.out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(out), ".release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // after a success the folder has been renamed
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	m.out = folder
	if m.about, err = m.reference(ctx); err != nil {
		return err
	}
	if m.kit, err = m.kitFiles(ctx); err != nil {
		return err
	}

	var images []platformImage
	for _, t := range targets {
		binary, err := m.build(ctx, t)
		if err != nil {
			return err
		}
		image, err := m.pack(t, binary)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if t.os == "linux" {
			images = append(images, image)
		}
	}
	if len(images) > 0 {
		m.say("image for %d processors", len(images))
		if err := m.writeImage(images); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	if err := os.WriteFile(m.file("NOTES.md"), []byte(m.source.releaseNotes()), 0o644); err != nil {
		return err
	}
	if err := m.writeChecksums(); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.Rename(folder, out); err != nil {
		return err
	}
	m.say("version %s, commit %s: %s", m.source.version, m.source.commit, out)
	return nil
}

// pack makes the files of one target from its binary.
func (m *maker) pack(t target, b binary) (platformImage, error) {
	texts, err := licences(m.source.goroot, b.golang, b.modules)
	if err != nil {
		return platformImage{}, err
	}
	bom, err := m.bom(t, b)
	if err != nil {
		return platformImage{}, err
	}
	name := fmt.Sprintf("verdict_%s_%s_%s", m.source.version, t.os, t.arch)
	if err := os.WriteFile(m.file(name+".cdx.json"), bom, 0o644); err != nil {
		return platformImage{}, err
	}
	m.say("%s: archive", t)
	documents, err := m.documents(texts, bom)
	if err != nil {
		return platformImage{}, err
	}
	if err := m.writeArchive(t, name, b, slices.Concat(documents, m.about, m.kit)); err != nil {
		return platformImage{}, err
	}
	if t.os != "linux" {
		return platformImage{}, nil
	}
	m.say("%s: Debian package", t)
	if err := m.writeDebian(t, b, documents); err != nil {
		return platformImage{}, fmt.Errorf("debian package: %w", err)
	}
	return m.image(t, b, documents)
}

// A file is a file of an archive, an image or a package.
type file struct {
	name    string // slash-separated, relative
	content []byte
	mode    int64
	owner   int // user and group; 0 is root
}

// documents returns the files that accompany the binary in every archive, package and image.
func (m *maker) documents(licences, bom []byte) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"} {
		content, err := os.ReadFile(filepath.Join(m.source.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, content: content, mode: 0o644})
	}
	return append(files,
		file{name: "LICENSES-OF-MODULES.txt", content: licences, mode: 0o644},
		file{name: "verdict.cdx.json", content: bom, mode: 0o644}), nil
}

// writeChecksums writes SHA256SUMS over all other files, in the format of
// sha256sum.
func (m *maker) writeChecksums() error {
	entries, err := os.ReadDir(m.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		f, err := os.Open(m.file(e.Name()))
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		_ = f.Close() // the file is only read
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sum.Sum(nil), e.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(m.file("SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}

// file returns the path of a file of the release.
func (m *maker) file(name string) string { return filepath.Join(m.out, name) }

// say reports a step with the time since the beginning.
func (m *maker) say(format string, args ...any) {
	fmt.Fprintf(m.progress, "%5.1fs  %s\n", time.Since(m.begun).Seconds(), fmt.Sprintf(format, args...))
}
