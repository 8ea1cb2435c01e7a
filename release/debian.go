package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the format of Debian's md5sums; checksums of the release are SHA-256
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// packaging holds the files of the Debian package.
//
//go:embed packaging
var packaging embed.FS

// settingsFile is the configuration file of the package. It may hold the
// password of a database, so it is not readable by everybody.
const settingsFile = "etc/verdict/verdict.env"

// writeDebian writes the Debian package of a target: an ar archive that contains the version of the format, the
// control files, and the files to install.
func (m *maker) writeDebian(t target, b binary, documents []file) error {
	unit, err := packaging.ReadFile("packaging/verdict.service")
	if err != nil {
		return err
	}
	settings, err := packaging.ReadFile("packaging/verdict.env")
	if err != nil {
		return err
	}
	installed := []file{
		{name: "usr/bin/verdict", content: b.content, mode: 0o755},
		{name: "usr/lib/systemd/system/verdict.service", content: unit, mode: 0o644},
		{name: settingsFile, content: settings, mode: 0o640},
	}
	for _, d := range documents {
		if d.name == "LICENSE" {
			d.name = "copyright" // the name that Debian asks for
		}
		d.name = "usr/share/doc/verdict/" + d.name
		installed = append(installed, d)
	}
	installed = append(installed, installedReference(slices.Concat(m.about, m.kit))...)
	slices.SortFunc(installed, func(a, b file) int { return strings.Compare(a.name, b.name) })
	control, err := m.debianControl(t, installed)
	if err != nil {
		return err
	}
	members := []file{{name: "debian-binary", content: []byte("2.0\n")}}
	for _, part := range []struct {
		name  string
		files []file
	}{{"control.tar.gz", control}, {"data.tar.gz", installed}} {
		content, err := treeTar("./", part.files, m.source.at)
		if err != nil {
			return err
		}
		compressed, err := gzipped(content)
		if err != nil {
			return err
		}
		members = append(members, file{name: part.name, content: compressed})
	}
	name := fmt.Sprintf("verdict_%s-1_%s.deb", m.source.version, t.arch)
	return os.WriteFile(m.file(name), arArchive(members, m.source.at), 0o644)
}

// debianControl returns the control files: what the package is, which of its
// files are configuration, the checksums, and the scripts.
func (m *maker) debianControl(t target, installed []file) ([]file, error) {
	var size int
	var sums strings.Builder
	for _, f := range installed {
		size += len(f.content)
		if f.name != settingsFile {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.content), f.name) //nolint:gosec // see the import
		}
	}
	control := fmt.Sprintf(`Package: verdict
Version: %s-1
Architecture: %s
Maintainer: The Verdict authors <verdict@example.invalid>
Installed-Size: %d
Depends: adduser
Suggests: postgresql
Section: net
Priority: optional
Description: credit decisions as a service
 Verdict decides loan applications by versioned policies, prices the offer,
 and explains each decision. This package runs it as a systemd service with
 an embedded database, or with PostgreSQL.
`, m.source.version, t.arch, (size+1023)/1024)
	files := []file{
		{name: "conffiles", content: []byte("/" + settingsFile + "\n"), mode: 0o644},
		{name: "control", content: []byte(control), mode: 0o644},
		{name: "md5sums", content: []byte(sums.String()), mode: 0o644},
	}
	for _, name := range []string{"postinst", "postrm", "prerm"} {
		script, err := packaging.ReadFile("packaging/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, content: script, mode: 0o755})
	}
	return files, nil
}

// arArchive returns an archive in the format of ar: a header of 60 bytes for
// each member, whose content is padded to an even length.
func arArchive(members []file, at time.Time) []byte {
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, f := range members {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", f.name, at.Unix(), 0, 0, "100644", len(f.content))
		out.Write(f.content)
		if len(f.content)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}
