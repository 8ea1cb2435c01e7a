// Package clients proves that the usual generators read api/openapi.yaml: its
// tests generate a Go client with oapi-codegen and a TypeScript client with
// openapi-typescript, both with their defaults, compile them, and call a
// running service with them.
//
// It is a module of its own, so that no generator enters the service's go.mod.
package clients

// The generated Go client imports it.
import _ "github.com/oapi-codegen/runtime"
