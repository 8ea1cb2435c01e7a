// Package api holds the interface of the service as an OpenAPI document, kept
// by hand. The tests hold it and the service together.
package api

import _ "embed"

// OpenAPI is the document, as it is served.
//
//go:embed openapi.yaml
var OpenAPI []byte
