package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// bom returns the bill of materials of a binary: Go's standard library and
// every module that `go version -m` names.
func (m *maker) bom(t target, b binary) ([]byte, error) {
	self := "pkg:golang/verdict@" + m.source.version
	sum := sha256.Sum256(b.content)
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serialNumber(sum)
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: m.source.at.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: self, Type: cyclonedx.ComponentTypeApplication, Name: "verdict", Version: m.source.version,
			PackageURL: self,
			Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
			Properties: &[]cyclonedx.Property{
				{Name: "verdict:commit", Value: m.source.commit},
				{Name: "verdict:target", Value: t.String()},
			},
		},
	}
	golang := strings.TrimPrefix(b.golang, "go")
	components := []cyclonedx.Component{{
		BOMRef: "pkg:golang/std@" + golang, Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: golang,
		PackageURL: "pkg:golang/std@" + golang,
	}}
	refs := []string{components[0].BOMRef}
	for _, module := range b.modules {
		hash, err := sourceHash(module)
		if err != nil {
			return nil, err
		}
		ref := "pkg:golang/" + module.path + "@" + module.version
		components = append(components, cyclonedx.Component{
			BOMRef: ref, Type: cyclonedx.ComponentTypeLibrary, Name: module.path, Version: module.version,
			PackageURL: ref, Hashes: &[]cyclonedx.Hash{hash},
		})
		refs = append(refs, ref)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: self, Dependencies: &refs}}

	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return out.Bytes(), err
}

// sourceHash returns the hash of a module's source tree, which go.sum has too.
func sourceHash(m module) (cyclonedx.Hash, error) {
	encoded, ok := strings.CutPrefix(m.sum, "h1:")
	if !ok {
		return cyclonedx.Hash{}, fmt.Errorf("module %s has no hash", m.path)
	}
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return cyclonedx.Hash{}, fmt.Errorf("the hash of module %s: %w", m.path, err)
	}
	return cyclonedx.Hash{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}, nil
}

// serialNumber derives the UUID of a bill of materials from the binary, so that a second build
// gives the same UUID.
func serialNumber(sum [32]byte) string {
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x80 // version 8: defined by us
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
