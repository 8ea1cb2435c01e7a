package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// licenceName matches the files in which a module states its terms.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// standardLibrary is the name of Go's standard library in bills of materials.
const standardLibrary = "std"

// licences returns the terms of Go's standard library and of all modules as one
// text. Nearly every licence requires that its text accompanies the binary, so a
// module without one is an error.
func licences(goroot, golang string, modules []module) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "The licences of Go's standard library and of the %d modules that are linked into this binary.\n",
		len(modules))
	all := append([]module{{path: standardLibrary, version: golang, folder: goroot}}, modules...)
	for _, m := range all {
		entries, err := os.ReadDir(m.folder)
		if err != nil {
			return nil, err
		}
		found := false
		for _, e := range entries {
			if e.IsDir() || !licenceName.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(m.folder, e.Name()))
			if err != nil {
				return nil, err
			}
			found = true
			fmt.Fprintf(&out, "\n================ %s %s: %s\n\n", m.path, m.version, e.Name())
			out.Write(bytes.TrimSpace(text))
			out.WriteByte('\n')
		}
		if !found {
			return nil, fmt.Errorf("module %s %s has no licence file", m.path, m.version)
		}
	}
	return out.Bytes(), nil
}
