package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"time"
)

// writeArchive writes the archive of a target: a ZIP file for Windows, a
// compressed tar file for the others.
func (m *maker) writeArchive(t target, name string, b binary, documents []file) error {
	files := append([]file{{name: b.name, content: b.content, mode: 0o755}}, documents...)
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	if t.os == "windows" {
		content, err := zipped(files, m.source.at)
		if err != nil {
			return err
		}
		return os.WriteFile(m.file(name+".zip"), content, 0o644)
	}
	content, err := tarred(files, m.source.at)
	if err != nil {
		return err
	}
	compressed, err := gzipped(content)
	if err != nil {
		return err
	}
	return os.WriteFile(m.file(name+".tar.gz"), compressed, 0o644)
}

// tarred returns the files as a tar archive. All files have the time of the commit. The archive contains no owner
// names.
func tarred(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.content)), Mode: f.mode, ModTime: at,
			Format: tar.FormatPAX,
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// treeTar returns the files as a tar archive with the folders that they are in,
// as an installation needs them. A name that ends in a slash is a folder. All
// names get the prefix.
func treeTar(prefix string, files []file, at time.Time) ([]byte, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	write := func(f file) error {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: prefix + f.name, Size: int64(len(f.content)), Mode: f.mode, ModTime: at,
			Uid: f.owner, Gid: f.owner, Format: tar.FormatGNU,
		}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(f.content)
		return err
	}
	made := map[string]bool{}
	for _, f := range files {
		for i, c := range f.name {
			folder := f.name[:i+1]
			if c != '/' || folder == f.name || made[folder] {
				continue
			}
			made[folder] = true
			if err := write(file{name: folder, mode: 0o755}); err != nil {
				return nil, err
			}
		}
		if err := write(f); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func gzipped(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func zipped(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(os.FileMode(f.mode))
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
