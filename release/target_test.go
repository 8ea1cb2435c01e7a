package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryTarget makes the whole release twice, in two folders and the second time with an empty build cache, and
// compares the bytes. For each system and processor it compares the bill of materials and the licences with the modules
// in the binary. The binaries for Linux are executed, those for arm64 in an emulator, and the binary for Windows on
// amd64 in Wine.
func TestEveryTarget(t *testing.T) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long: it compiles for six targets")
	}
	commit := head(t)
	first := released(t, commit, "")
	t.Setenv("GOCACHE", t.TempDir()) // with the usual cache, Go would not compile again
	sameFiles(t, first, released(t, commit, ""))
	names := namesIn(t, first)
	version := strings.TrimSpace(string(read(t, "../api", "VERSION")))
	for _, target := range allTargets {
		name := "verdict_" + version + "_" + target.os + "_" + target.arch
		suffixes := []string{".cdx.json", ".tar.gz"}
		if target.os == "windows" {
			suffixes[1] = ".zip"
		}
		for _, suffix := range suffixes {
			if !slices.Contains(names, name+suffix) {
				t.Errorf("there is no %s%s", name, suffix)
			}
		}
		files := unpackedFiles(t, filepath.Join(first, name), target)
		program := files["verdict"]
		if target.os == "windows" {
			program = files["verdict.exe"]
		}
		binary := filepath.Join(t.TempDir(), "verdict.exe") // Linux does not mind the suffix
		if err := os.WriteFile(binary, program, 0o755); err != nil {
			t.Fatal(err)
		}
		bill := read(t, first, name+".cdx.json")
		billIsComplete(t, binary, bill)
		if !bytes.Equal(files["verdict.cdx.json"], bill) {
			t.Errorf("%s: the archive has another bill of materials", target)
		}
		licencesAreComplete(t, binary, files["LICENSES-OF-MODULES.txt"])
		switch target.os {
		case "linux":
			isStatic(t, binary, target)
			decidesOn(t, target, binary)
			carriesBinary(t, first, version, target, program)
		case "darwin":
			if !bytes.HasPrefix(program, []byte{0xcf, 0xfa, 0xed, 0xfe}) { // Mach-O of 64 bits
				t.Errorf("%s: the binary begins with % x", target, program[:4])
			}
		case "windows":
			if !bytes.HasPrefix(program, []byte("MZ")) {
				t.Errorf("%s: the binary begins with % x", target, program[:4])
			}
			if target.arch == "amd64" {
				servesInWine(t, binary)
			}
		}
	}
	if n := platformsOf(t, filepath.Join(first, "verdict_"+version+"_image.tar")); n != 2 {
		t.Errorf("the image is for %d processors", n)
	}
}

// unpackedFiles returns the files of an archive by their names, without the folder that all of them are in.
func unpackedFiles(t *testing.T, path string, target target) map[string][]byte {
	t.Helper()
	files, folder := map[string][]byte{}, filepath.Base(path)+"/"
	if target.os != "windows" {
		entriesOf(t, read(t, path+".tar.gz"), func(h *tar.Header, body []byte) {
			files[strings.TrimPrefix(h.Name, folder)] = body
		})
		return files
	}
	archive, err := zip.OpenReader(path + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }() // only read
	for _, f := range archive.File {
		content, err := archive.Open(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(f.Name, folder)] = body
	}
	return files
}

// carriesBinary unpacks the Debian package and the image for a processor, compares their binaries with the archive's,
// and makes a decision with each.
func carriesBinary(t *testing.T, folder, version string, target target, program []byte) {
	t.Helper()
	installed := t.TempDir()
	command(t, "dpkg-deb", "--extract", filepath.Join(folder, "verdict_"+version+"-1_"+target.arch+".deb"), installed)
	config, root := unpackImage(t, filepath.Join(folder, "verdict_"+version+"_image.tar"), target.arch)
	for _, path := range []string{
		filepath.Join(installed, "usr/bin/verdict"), filepath.Join(root, config.Entrypoint[0]),
	} {
		if !bytes.Equal(read(t, path), program) {
			t.Errorf("%s: %s is not the binary of the archive", target, path)
		}
		decidesOn(t, target, path)
	}
}

// decidesOn makes a decision with a binary for Linux. The binary for arm64 runs under qemu.
func decidesOn(t *testing.T, target target, path string) {
	t.Helper()
	if target.arch != "arm64" {
		decides(t, path)
		return
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		emulator = "qemu-aarch64-static"
	}
	decides(t, emulator, path)
}

// isStatic checks that a binary needs no loader and no library.
func isStatic(t *testing.T, path string, target target) {
	t.Helper()
	parsed, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = parsed.Close() }() // only read
	for _, p := range parsed.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s: the binary needs a loader", target)
		}
	}
}

// platformsOf returns the number of processors that an image supports.
func platformsOf(t *testing.T, path string) int {
	t.Helper()
	blobs := map[string][]byte{}
	entriesOf(t, read(t, path), func(h *tar.Header, body []byte) { blobs[h.Name] = body })
	var named, index struct {
		Manifests []struct{ Digest string }
	}
	decode(t, blobs["index.json"], &named)
	decode(t, blobs["blobs/"+strings.Replace(named.Manifests[0].Digest, ":", "/", 1)], &index)
	return len(index.Manifests)
}
