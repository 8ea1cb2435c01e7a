package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryTarget makes the whole release twice, from two folders, compares the
// bytes, and looks into the archive of each system and processor.
func TestEveryTarget(t *testing.T) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long: it compiles for six targets")
	}
	commit := head(t)
	first, second := released(t, commit, ""), released(t, commit, "")
	names := namesIn(t, first)
	for _, name := range names {
		if !bytes.Equal(read(t, first, name), read(t, second, name)) {
			t.Errorf("%s: two builds gave other bytes", name)
		}
	}
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
		switch program := unpackedProgram(t, filepath.Join(first, name), target); target.os {
		case "linux":
			isStatic(t, program, target)
		case "darwin":
			if !bytes.HasPrefix(program, []byte{0xcf, 0xfa, 0xed, 0xfe}) { // Mach-O of 64 bits
				t.Errorf("%s: the binary begins with % x", target, program[:4])
			}
		case "windows":
			if !bytes.HasPrefix(program, []byte("MZ")) {
				t.Errorf("%s: the binary begins with % x", target, program[:4])
			}
		}
	}
	if n := platformsOf(t, filepath.Join(first, "verdict_"+version+"_image.tar")); n != 2 {
		t.Errorf("the image is for %d processors", n)
	}
}

// unpackedProgram returns the binary of an archive.
func unpackedProgram(t *testing.T, path string, target target) (program []byte) {
	t.Helper()
	if target.os != "windows" {
		entriesOf(t, read(t, path+".tar.gz"), func(h *tar.Header, body []byte) {
			if strings.HasSuffix(h.Name, "/verdict") {
				program = body
			}
		})
		return program
	}
	archive, err := zip.OpenReader(path + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }() // only read
	content, err := archive.Open(filepath.Base(path) + "/verdict.exe")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(content); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// isStatic checks that a binary needs no loader and no library, and has it
// decide: that of arm64 under qemu.
func isStatic(t *testing.T, program []byte, target target) {
	t.Helper()
	parsed, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parsed.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s: the binary needs a loader", target)
		}
	}
	path := filepath.Join(t.TempDir(), "verdict")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
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

// platformsOf returns for how many processors an image is.
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
