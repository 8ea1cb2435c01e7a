// Package api contains the OpenAPI document of the service, which is written by
// hand, and the version of the service. Tests check that the service matches the
// document.
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

// Version is the semantic version of the service, from the file VERSION. A test
// checks that info.version of the document is the same.
var Version = strings.TrimSpace(version)
