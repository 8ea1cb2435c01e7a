// Package api holds the interface of the service as an OpenAPI document, kept
// by hand, and the version of the service. The tests hold document and service
// together.
package api

import (
	_ "embed"
	"strings"
)

// OpenAPI is the document, as it is served.
//
//go:embed openapi.yaml
var OpenAPI []byte

//go:embed VERSION
var version string

// Version is the semantic version of the service. The file VERSION is the one
// place where it is written; the document's info.version repeats it.
var Version = strings.TrimSpace(version)
